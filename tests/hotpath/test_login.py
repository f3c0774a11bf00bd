"""Passwords, users, databases and TLS: both lanes interpret the URL in the same way."""

import asyncio
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from poolsite import hotpath
from poolsite.runtime.redis_server import RedisServer
from tests.hotpath.support import TAG, count
from tests.support import programs
from tests.support.ports import free_port

pytestmark = pytest.mark.processes


def check_both_lanes(url: str) -> None:
    """Run a command, a batch and a plain read on each lane."""
    with hotpath.connect(url) as path, asyncio.Runner() as runner:
        assert path.run(count()) == 1
        assert runner.run(path.arun(count())) == 2
        assert path.run_batch([count()] * 2) == [3, 4]
        assert runner.run(path.arun_batch([count()] * 40)) == list(range(5, 45))
        assert path.client().hget(TAG, "count") == "44"
        assert runner.run(_hget(path)) == "44"


async def _hget(path: hotpath.HotPath) -> str | None:
    found: str | None = await path.aclient().hget(TAG, "count")
    return found


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path / "r", port=free_port(), append_only=False).start()
    yield server
    server.kill()


def test_the_database_of_the_url_is_used(server: RedisServer) -> None:
    check_both_lanes(f"redis://127.0.0.1:{server.port}/3")
    with server.client() as client:
        assert client.exists(TAG) == 0
        client.select(3)
        assert client.exists(TAG) == 1


def test_a_password_logs_in(server: RedisServer) -> None:
    with server.client() as client:
        client.config_set("requirepass", "p@ss word")
    check_both_lanes(f"redis://:p%40ss%20word@127.0.0.1:{server.port}")


def test_a_user_logs_in(server: RedisServer) -> None:
    with server.client() as client:
        client.execute_command("ACL", "SETUSER", "hot", "on", ">secret", "~*", "&*", "+@all")
        client.config_set("requirepass", "other")
    check_both_lanes(f"redis://hot:secret@127.0.0.1:{server.port}/0?client_name=web-1")


async def test_a_refused_log_in_is_unavailable(server: RedisServer) -> None:
    with server.client() as client:
        client.config_set("requirepass", "right")
    for credentials in ("", ":wrong@", "nobody:right@"):
        with hotpath.connect(f"redis://{credentials}127.0.0.1:{server.port}") as path:
            with pytest.raises(hotpath.Unavailable):
                path.run(count())
            with pytest.raises(hotpath.Unavailable):
                await path.arun(count())


# -- TLS ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a self-signed certificate (its own authority) for 127.0.0.1."""
    folder = tmp_path_factory.mktemp("tls")
    words = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1"
    files = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    names = ["-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*words.split(), *files, *names], check=True, capture_output=True)
    return folder


@pytest.fixture
def tls_port(tmp_path: Path, certificate: Path) -> Iterator[int]:
    """The TLS port of a server (Debian's: those in the wheels are built without TLS)."""
    port = free_port()
    tls = ["--tls-port", str(port), "--tls-auth-clients", "no"]
    tls += ["--tls-cert-file", str(certificate / "cert.pem")]
    tls += ["--tls-key-file", str(certificate / "key.pem")]
    tls += ["--tls-ca-cert-file", str(certificate / "cert.pem")]
    program = programs.redis_7()
    server = RedisServer(tmp_path / "r", program=program, append_only=False, extra=tls).start()
    yield port
    server.kill()


@pytest.mark.needs("redis-7", "openssl")
def test_tls_is_spoken_and_the_certificate_checked(tls_port: int, certificate: Path) -> None:
    url = f"rediss://127.0.0.1:{tls_port}/0"
    check_both_lanes(f"{url}?ssl_ca_certs={certificate / 'cert.pem'}")
    with hotpath.connect(url) as path:
        with pytest.raises(hotpath.Unavailable):
            path.run(count())
        with pytest.raises(hotpath.Unavailable):
            asyncio.run(path.arun(count()))


# -- a server that refuses for other reasons ------------------------------------------------------


async def test_too_many_clients_is_unavailable(server: RedisServer) -> None:
    url = f"redis://127.0.0.1:{server.port}"
    with server.client() as first, hotpath.connect(url) as path:
        first.config_set("maxclients", 1)
        with pytest.raises(hotpath.Unavailable):
            path.run(count())
        with pytest.raises(hotpath.Unavailable):
            await path.arun(count())
        first.config_set("maxclients", 100)
        assert path.run(count()) == 1
        assert await path.arun(count()) == 2


async def test_a_replica_is_unavailable_and_nothing_was_written(server: RedisServer) -> None:
    with server.client() as client, hotpath.connect(f"redis://127.0.0.1:{server.port}") as path:
        client.replicaof("127.0.0.1", "1")
        client.config_set("replica-serve-stale-data", "yes")
        with pytest.raises(hotpath.Unavailable, match="READONLY"):
            path.run(count())
        with pytest.raises(hotpath.Unavailable, match="READONLY"):
            await path.arun(count())
        client.config_set("replica-serve-stale-data", "no")
        with pytest.raises(hotpath.Unavailable, match="MASTERDOWN"):
            path.run(count())
        with pytest.raises(hotpath.Unavailable, match="MASTERDOWN"):
            await path.arun(count())
        client.replicaof("NO", "ONE")
        assert path.run(count()) == 1
