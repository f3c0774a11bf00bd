"""A real nginx with the shipped configuration. Only paths, ports and the certificate differ."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from poolsite.runtime.redis_server import die_with_parent
from tests.house.source import ROOT
from tests.support.processes import end
from tests.support.waiting import until

SHIPPED = ROOT / "deploy" / "nginx" / "poolsite.conf"
CERTIFICATES = "/etc/letsencrypt/live/console.example.com"
TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
AROUND = """
{user}
worker_processes 1;
worker_rlimit_nofile 8192;
daemon off;
pid nginx.pid;
error_log error.log info;
events {{ worker_connections 4096; }}
http {{
    include /etc/nginx/mime.types;
    default_type application/octet-stream;
    {temporary}
    include poolsite.conf;
}}
"""


def changed(text: str, changes: Mapping[str, str]) -> str:
    """Return the text with each of these replaced. All of them must occur in it."""
    for before, after in changes.items():
        assert before in text, before
        text = text.replace(before, after)
    return text


def on_loopback(text: str, folder: Path, http: int, https: int) -> str:
    """Return a configuration whose server listens on loopback, with its files below `folder`.

    A machine may have no IPv6: those lines are left out.
    """
    lines = [line for line in text.splitlines() if "listen [::]:" not in line]
    return changed(
        "\n".join(lines),
        {
            "listen 80;": f"listen 127.0.0.1:{http};",
            "listen 443 ssl http2;": f"listen 127.0.0.1:{https} ssl http2;",
            "server_name console.example.com;": "server_name 127.0.0.1;",
            "/var/log/nginx/access.log": str(folder / "access.log"),
            f"{CERTIFICATES}/fullchain.pem": str(folder / "certificate.pem"),
            f"{CERTIFICATES}/privkey.pem": str(folder / "key.pem"),
            "/var/www/html": str(folder / "html"),
            "/var/lib/poolsite/staticfiles": str(folder / "staticfiles"),
        },
    )


def without_tls(text: str, https: int) -> str:
    """Return what `on_loopback` returned with the TLS server listening without TLS."""
    lines = [line for line in text.splitlines() if not line.strip().startswith("ssl_")]
    plain = {f"listen 127.0.0.1:{https} ssl http2;": f"listen 127.0.0.1:{https};"}
    return changed("\n".join(lines), plain)


@dataclass
class Nginx:
    """An nginx that writes only below `folder`. `config` is its file of the site."""

    folder: Path
    config: str
    process: subprocess.Popen[bytes] | None = None

    def __post_init__(self) -> None:
        around = AROUND.format(
            user="user root;" if os.geteuid() == 0 else "",
            temporary="".join(f"{name}_temp_path tmp-{name};" for name in TEMPORARY),
        )
        (self.folder / "nginx.conf").write_text(around)
        (self.folder / "poolsite.conf").write_text(self.config)

    def command(self, *options: str) -> list[str]:
        """Return the command that starts this nginx, or with options, that checks or signals it."""
        place = ["-p", str(self.folder), "-e", str(self.folder / "error.log")]
        return [
            shutil.which("nginx") or "/usr/sbin/nginx",
            *place,
            "-c",
            str(self.folder / "nginx.conf"),
            *options,
        ]

    def check(self) -> "subprocess.CompletedProcess[str]":
        """Run `nginx -t`."""
        return subprocess.run(self.command("-t"), capture_output=True, text=True, check=False)

    def reload(self) -> None:
        """Make it read its files again, as `systemctl reload nginx` does."""
        subprocess.run(self.command("-s", "reload"), check=True)

    def start(self) -> "Nginx":
        """Start it. Return when it has written its process ID, which is when it listens."""
        self.process = subprocess.Popen(self.command(), preexec_fn=die_with_parent)
        until(lambda: (self.folder / "nginx.pid").exists() or self._ended(), evidence=self.said)
        assert not self._ended(), self.said()
        return self

    def _ended(self) -> bool:
        return self.process is not None and self.process.poll() is not None

    def said(self) -> str:
        """Return its error log."""
        return (self.folder / "error.log").read_text()[-3000:]

    def stop(self) -> None:
        """End it."""
        if self.process is not None:
            end(self.process)
