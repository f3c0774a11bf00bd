"""The image's processes, as compose.yaml starts them: no rights, and only /tmp is writable."""

import json
import shutil
import signal
import ssl
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import yaml

from poolsite.runtime.redis_server import die_with_parent
from tests.deploy.edge import SHIPPED, Nginx, changed
from tests.deploy.image import DATA, HOME, Image, stages
from tests.house.source import ROOT
from tests.operations.hostile import certified
from tests.support.parts import starts_processes
from tests.support.ports import free_port
from tests.support.processes import end
from tests.support.programs import redis_7
from tests.support.waiting import patient, until

pytestmark = [
    pytest.mark.prove,
    pytest.mark.needs("docker-compose", "nginx", "root", "redis-7", "postgres"),
]
SERVICES = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
RUNNING = ("web-1", "worker-jobs", "worker-books", "worker-history", "timers-1", "beat")
PREPARE = ["deploy/compose/prepare", "127.0.0.1", "smtp://127.0.0.1:9"]


@dataclass
class Site:
    """The image, with the secrets of its containers and the servers that they use."""

    image: Image
    redis_port: int

    def variables(self) -> dict[str, str]:
        """The environment of our services. .env has this machine's address."""
        said = SERVICES["web-1"]["environment"]
        hosts = dict.fromkeys(("POOLSITE_ALLOWED_HOSTS", "POOLSITE_PUBLIC_HOST"), "127.0.0.1")
        return {**said, **hosts, "POOLSITE_MAIL_FROM": "poolsite@localhost"}

    def manage(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run `docker compose run … manage` with these arguments."""
        entry = stages()["poolsite"].command("ENTRYPOINT")
        return self.image.run([*entry, "manage", *words], **self.variables())

    def is_healthy(self, name: str) -> bool:
        """Return the result of a service's health check."""
        kind, *words = SERVICES[name]["healthcheck"]["test"]
        if kind == "CMD-SHELL":
            with_port = words[0].replace("redis-cli", f"redis-cli -p {self.redis_port}")
            words = ["sh", "-c", with_port.replace("$$", "$")]
        return self.image.run(words).returncode == 0


def secrets(folder: Path, **replaced: str) -> None:
    """Put the files that deploy/compose/prepare writes where containers find them."""
    checkout = folder / "checkout"
    shutil.copytree(ROOT / "deploy/compose", checkout / "deploy/compose")
    shutil.rmtree(checkout / "deploy/compose/secrets", ignore_errors=True)
    subprocess.run(PREPARE, cwd=checkout, check=True, capture_output=True)
    written = folder / "run" / "secrets"
    shutil.copytree(checkout / "deploy/compose/secrets", written)
    written.chmod(0o755)
    for name, value in replaced.items():
        before = (written / name).read_text()
        (written / name).write_text(value.replace("PASSWORD", before.split(":")[2].split("@")[0]))


@pytest.fixture
@starts_processes
def site(postgres_url: str) -> Iterator[Site]:
    """A built image with a PostgreSQL and the Redis of compose.yaml."""
    image = Image()
    port = free_port()
    redis = None
    try:
        image.build()
        address = f"redis://:PASSWORD@127.0.0.1:{port}/0"
        secrets(image.folder, database_url=postgres_url, redis_url=address)
        made = Site(image, port)
        redis = start_redis(made)
        until(lambda: made.is_healthy("redis"))
        yield made
    finally:
        image.remove()
        if redis is not None:
            end(redis)


def start_redis(site: Site) -> "subprocess.Popen[bytes]":
    """Start a Redis by deploy/compose/redis.conf, on a separate port."""
    data = site.image.folder / "redis"
    data.mkdir()
    config = changed(
        site.image.here((ROOT / "deploy/compose/redis.conf").read_text()),
        {"bind * -::*": f"bind 127.0.0.1\nport {site.redis_port}", "dir /data": f"dir {data}"},
    )
    (data / "redis.conf").write_text(config)
    with (data / "log").open("wb") as log:
        command = [redis_7(), str(data / "redis.conf")]
        return subprocess.Popen(command, stdout=log, preexec_fn=die_with_parent)


def nginx_of(site: Site, https: int) -> Nginx:
    """Return an nginx with the configuration of the image `nginx`, on loopback."""
    made = subprocess.run(
        ["sed", "-f", ROOT / "deploy/compose/nginx.sed", SHIPPED],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "listen [::]" not in made
    folder = site.image.folder / "nginx"
    folder.mkdir()
    certified(folder, "127.0.0.1")
    places = {
        "server_name _;": "server_name 127.0.0.1;",
        "listen 80;": f"listen 127.0.0.1:{free_port()};",
        "listen 443 ssl http2;": f"listen 127.0.0.1:{https} ssl http2;",
        "/var/log/nginx/access.log": str(folder / "access.log"),
        "/etc/nginx/certificate/fullchain.pem": str(folder / "certificate.pem"),
        "/etc/nginx/certificate/privkey.pem": str(folder / "key.pem"),
        "/var/www/acme": str(folder / "acme"),
        "/var/lib/poolsite/staticfiles": site.image.here(f"{DATA}/staticfiles"),
        "unix:/run/poolsite/": site.image.here("unix:/run/poolsite/"),
    }
    return Nginx(folder, changed(made, places))


def test_a_site_of_containers_is_ready_and_its_processes_can_write_nothing(site: Site) -> None:
    image, variables = site.image, site.variables()
    migrated = site.manage("migrate")
    assert migrated.returncode == 0, migrated.stderr
    for place in (f"{HOME}/none", f"{HOME}/poolsite/none", f"{DATA}/none"):
        assert image.run(["touch", place]).returncode != 0
    assert image.run(["touch", f"{DATA}/attachments/one"]).returncode == 0
    assert image.run(["python", "-c", "import pip"]).returncode != 0
    assert not site.is_healthy("web-1")
    for name in RUNNING:
        image.start(name, SERVICES[name]["command"], **variables)
    until(lambda: site.is_healthy("web-1"), 120, lambda: said(image))
    nginx = nginx_of(site, https := free_port()).start()
    try:
        trust = ssl.create_default_context(cafile=nginx.folder / "certificate.pem")
        with httpx.Client(
            base_url=f"https://127.0.0.1:{https}", verify=trust, timeout=patient(60)
        ) as client:
            look(client, image)
            until(lambda: ready(client) == {}, 120, lambda: [ready(client), *said(image)])
    finally:
        nginx.stop()
    end(*image.processes.values(), seconds=60)
    ended = {name: process.returncode for name, process in image.processes.items()}
    assert set(ended.values()) <= {0, -signal.SIGTERM}, [ended, *said(image)]  # not killed


def look(client: httpx.Client, image: Image) -> None:
    """Open a page and a style sheet on the only web process that runs."""
    for _ in range(4):
        assert client.get("/login/").status_code == 200
    names = json.loads(Path(image.here(f"{DATA}/staticfiles/staticfiles.json")).read_text())
    sheet = client.get(f"/static/{names['paths']['css/components.css']}")
    assert "immutable" in sheet.headers["Cache-Control"]
    assert sheet.headers["Content-Encoding"] == "gzip"


def ready(client: httpx.Client) -> dict[str, str]:
    """Return the failed checks of /readyz."""
    said = client.get("/readyz").json()
    faults = {name: text for name, text in said["checks"].items() if text != "ok"}
    return {**faults, **said["warnings"]}


def said(image: Image) -> list[str]:
    """Return the ends of all logs."""
    return [f"{name}: {image.log(name).read_text()[-1500:]}" for name in RUNNING]
