"""`make demo`: the whole console on this machine, started by one command, ended by one Ctrl-C."""

import contextlib
import errno
import json
import os
import secrets
import socket
import sys
import time
from importlib.util import find_spec
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from poolsite.runtime.children import Child
from poolsite.runtime.demo_data import filled_mark
from poolsite.runtime.embedded import EmbeddedRedis
from poolsite.runtime.leftovers import VARIABLE, RunMark
from poolsite.runtime.locks import FileLock
from poolsite.runtime.paths import private_folder
from poolsite.runtime.redis_server import RedisServerError
from poolsite.runtime.safety import is_local
from poolsite.runtime.space import require_space
from poolsite.runtime.supervisor import StartError, Stopped, Supervisor, say

NEEDED_BYTES = 64 * 1024 * 1024
DEFAULT_PORT = 8000
# As the units in deploy/systemd run them, except for the seconds of the last option.
WORKER = ("worker", "--without-gossip", "--without-mingle", "-l", "WARNING")
WEB = (
    *("--lifespan", "off", "--no-proxy-headers", "--no-access-log", "--log-level", "warning"),
    *("--ws-max-size", "1048576", "--ws-per-message-deflate", "false"),
    *("--timeout-graceful-shutdown", "5"),
)


class Demo:
    """One run of the demo. It checks the requirements first, then starts everything in order."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.host = os.environ.get("POOLSITE_HOST", "127.0.0.1")
        self.port = _port()
        self.gateway_port, self.external_port = _free_port(), _free_port()
        self.shop = f"http://localhost:{_free_port()}"  # another site than 127.0.0.1
        self.data = private_folder(settings.DATA_DIR)
        self.folder = private_folder(self.data / "demo")
        self.logs = private_folder(self.data / "log")
        self.mails = private_folder(self.data / "mail")
        self.supervisor = Supervisor(say)
        self.redis: EmbeddedRedis | None = None
        self.environment: dict[str, str] = {}

    def run(self) -> None:
        """Run until a signal. Raise StartError if the demo cannot start."""
        with FileLock(self.folder / "lock") as only_one:
            if not only_one.try_take():
                raise StartError(f"The demo is already running: {only_one.read()}.")
            mark = RunMark(self.folder / "mark")
            if count := mark.end_left_over():
                say(f"Stopped {count} process(es) left over from an earlier run.")
            require_local(self.host)
            require_port(self.host, self.port)
            only_one.write(f"process {os.getpid()}, {self.address}")
            self.environment = self._environment(mark.renew())
            self.supervisor.take_signals()
            try:
                self._start()
                self.supervisor.run(each_second=self._ensure_redis)
            except Stopped:
                say("Stopping …")
            finally:
                self.supervisor.stop()
                if self.redis is not None:
                    self.redis.release()

    @property
    def address(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/"

    @property
    def gateway_address(self) -> str:
        return f"http://127.0.0.1:{self.gateway_port}"

    def _environment(self, mark: str) -> dict[str, str]:
        own = demo_secrets(self.folder / "secrets.json")
        return {
            VARIABLE: mark,
            "POOLSITE_DEMO": "1",
            "POOLSITE_DEMO_SHOP": self.shop,
            "POOLSITE_DEBUG": "0",
            "POOLSITE_SECRET_KEY": os.environ.get("POOLSITE_SECRET_KEY", own["secret_key"]),
            "POOLSITE_DEMO_PASSWORD": os.environ.get("POOLSITE_DEMO_PASSWORD", own["password"]),
            "POOLSITE_DATA_DIR": str(self.data),
            "POOLSITE_PUBLIC_HOST": self.address.split("/")[2],
            "POOLSITE_GATEWAY_URL": os.environ.get("POOLSITE_GATEWAY_URL", self.gateway_address),
            "POOLSITE_GATEWAY_TOKEN": os.environ.get(
                "POOLSITE_GATEWAY_TOKEN", own["gateway_token"]
            ),
            "POOLSITE_OUTGOING_PRIVATE_ADDRESSES": "1",  # the demo receives its own webhooks
            "PYTHONUNBUFFERED": "1",
        }

    def _start(self) -> None:
        if not os.environ.get("REDIS_URL"):
            self.redis = EmbeddedRedis(self.data / "redis")
            self.redis.use(self.supervisor.check)
            self.environment["REDIS_URL"] = f"unix://{self.redis.socket}"
        say("Poolsite: preparing the database and the demo data …")
        self.supervisor.run_to_end(self._child("prepare", "manage", "prepare_demo"))
        web = ["poolsite.asgi:application", "--host", self.host, "--port", str(self.port), *WEB]
        long_work = [*WORKER, "-Q", "jobs", "-c", "1", "-n", "jobs@%h"]
        books = [*WORKER, "-Q", "books,history", "-c", "2", "-n", "books@%h"]
        schedule = str(self.data / "demo" / "beat")
        self.supervisor.start(
            self._child("web", "uvicorn", *web),
            self._child("timers", "manage", "timers"),
            self._child("worker-jobs", "celery", "-A", "poolsite", *long_work),
            self._child("worker-books", "celery", "-A", "poolsite", *books),
            self._child("beat", "celery", "-A", "poolsite", "beat", "-s", schedule, "--pidfile="),
        )
        self.supervisor.wait_for_page(self.host, self.port, "/healthz")
        self._start_simulator()
        self._welcome()
        if not filled_mark(self.data).exists():
            say("The history for the charts is being created in the background.")
            past = self._child("past", "manage", "demo_data", "--past")
            past.ends = True
            self.supervisor.start(past)

    def _start_simulator(self) -> None:
        simulation = self.folder / "simulation.json"
        if find_spec("integrations.simulator") is None or not simulation.exists():
            return
        arguments = ["--config", str(simulation), "--url", self.address.rstrip("/")]
        self.supervisor.start(self._child("simulator", "integrations.simulator", *arguments))
        self._start_gate(simulation, arguments)
        self.supervisor.start(self._child("desks", "integrations.simulator.desk", *arguments))
        self._start_group(simulation, arguments)
        shop = ["--console", self.address.rstrip("/"), "--port", self.shop.split(":")[-1]]
        self.supervisor.start(self._child("shop", "integrations.simulator.shop", *shop))
        if "POOLSITE_GATEWAY_URL" in os.environ:
            return
        ledger = ["--ledger", str(self.folder / "gateway.jsonl"), "--late-seconds", "120"]
        gateway = ["--port", str(self.gateway_port), *ledger]
        senders = ["--gateway", self.gateway_address]
        name = "integrations.simulator"
        self.supervisor.start(
            self._child("gateway", f"{name}.gateway", *arguments, *gateway),
            self._child("chatbots", f"{name}.senders", *arguments, *senders),
        )

    def _start_group(self, simulation: Path, arguments: list[str]) -> None:
        """Simulate the peers of the dispatcher's first group."""
        groups = json.loads(simulation.read_text()).get("groups", [])
        if groups:
            arguments = [*arguments, "--group", groups[0]["slug"]]
            self.supervisor.start(
                self._child("dispatch", "integrations.simulator.dispatch", *arguments)
            )

    def _start_gate(self, simulation: Path, arguments: list[str]) -> None:
        """Simulate every device of the first gate, and a system that counts its own clients."""
        gates = json.loads(simulation.read_text()).get("gates", [])
        if not gates:
            return
        gate, name = gates[0], "integrations.simulator"
        arguments = [*arguments, "--gate", gate["slug"]]
        external = ["--port", str(self.external_port), "--strong", str(gate["cap"])]
        work = ["--work-seconds", str(gate["permit_seconds"] / 2)]
        address = ["--external", f"http://127.0.0.1:{self.external_port}"]
        self.supervisor.start(
            self._child("external", f"{name}.external", *arguments, *external),
            self._child("devices", f"{name}.devices", *arguments, *address, *work),
        )

    def _child(self, name: str, module: str, *arguments: str) -> Child:
        log = self.logs / f"{name}.log"
        with contextlib.suppress(FileNotFoundError):
            log.replace(log.with_suffix(".previous.log"))
        return Child(name, module, arguments, self.environment, log)

    def _ensure_redis(self) -> None:
        """Restart the keeper if it is dead. The keeper itself restarts a dead Redis."""
        if self.redis is None or self.redis.answers():
            return
        say("Redis does not respond. Restarting it …")
        try:
            self.redis.ensure(patience_seconds=2.0)
        except RedisServerError as error:
            say(f"{error}")

    def _welcome(self) -> None:
        took_seconds = time.monotonic() - self.began
        say(f"\nPoolsite is ready: {self.address}   (after {took_seconds:.1f} s)\n")
        logins = self.folder / "logins.json"
        if logins.exists():
            known = json.loads(logins.read_text())
            rows = [("role", "user name", "first page")]
            rows += [(login["role"], login["user"], login["page"]) for login in known]
            widths = [max(len(row[column]) for row in rows) + 2 for column in (0, 1)]
            for role, user, page in rows:
                say(f"  {role:<{widths[0]}}{user:<{widths[1]}}{page}")
            say(f"  Password for all users: {self.environment['POOLSITE_DEMO_PASSWORD']}\n")
        if "POOLSITE_GATEWAY_URL" not in os.environ:
            say(f"Simulated message gateway: {self.gateway_address}/ (last digit sets the outcome)")
        if any(child.name == "shop" for child in self.supervisor.children):
            say(f"Example shop with the chat widget: {self.shop}/")
        if "EMAIL_URL" not in os.environ:
            say(f"Emails are saved in {_short(self.mails)}/")
        say(f"Press Ctrl-C to stop. Logs: {_short(self.logs)}/")


def demo_secrets(file: Path) -> dict[str, str]:
    """Return the demo's secrets. The first start creates them, readable for this user only."""
    known: dict[str, str] = json.loads(file.read_text()) if file.exists() else {}
    made = {
        "secret_key": secrets.token_urlsafe(48),
        "password": secrets.token_urlsafe(9),
        "gateway_token": secrets.token_urlsafe(32),
        **known,
    }
    if made != known:
        temporary = file.with_suffix(".new")
        temporary.unlink(missing_ok=True)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as output:
            json.dump(made, output)
        temporary.replace(file)
    return made


def require_local(host: str) -> None:
    """Raise StartError unless `host` is local to this machine: the demo's logins are no secret."""
    if not is_local(host):
        raise StartError(
            f"The demo is for your own machine and does not listen on {host}: set "
            "POOLSITE_HOST=127.0.0.1, or install Poolsite as docs/operations/install.md describes."
        )


def require_port(host: str, port: int) -> None:
    """Raise StartError unless the demo can listen on `port`."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise StartError(
                f"Port {port} is in use. Stop the program that uses it, "
                f"or choose another port: make demo POOLSITE_PORT={port + 1}"
            ) from error
        raise StartError(f"Cannot listen on {host} port {port}: {error.strerror}.") from error


def _free_port() -> int:
    """Return a port for a simulator, which only this machine's processes call."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _port() -> int:
    text = os.environ.get("POOLSITE_PORT") or str(DEFAULT_PORT)
    if not text.isascii() or not text.isdigit() or not 0 < int(text) < 65536:
        raise StartError(f"POOLSITE_PORT must be a port number from 1 to 65535, not {text!r}.")
    return int(text)


def _short(path: Path) -> Path:
    """Return `path` relative to the current folder if that is shorter."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def main() -> int:
    """Run the demo. Report a problem as one sentence on standard error and return status 1."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "poolsite.settings")
    try:
        require_space(settings.DATA_DIR, NEEDED_BYTES)
        Demo().run()
    except (StartError, RedisServerError, ImproperlyConfigured) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        sys.stderr.write("The disk is full.\n" if full else f"{error}\n")
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
