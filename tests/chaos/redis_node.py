"""The stack's Redis: behind a proxy that misbehaves, on a small disk, with a clock that steps.

All clients reach it at one address, the proxy's. The server behind it can change.
"""

import errno
import os
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import redis

from poolsite.runtime.redis_server import RedisServer
from tests.chaos.resting import until_right
from tests.support import programs
from tests.support.ports import free_port
from tests.support.proxy import FaultyProxy

DISK_BYTES = 192 * 1024 * 1024
SYNC_SECONDS = 30.0
STEP_SECONDS = 15.0
FAKETIME_FOLDERS = ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib")


def faketime_library() -> str:
    """Return libfaketime's path, or "" if it is not installed."""
    places = [Path(folder, "faketime", "libfaketime.so.1") for folder in FAKETIME_FOLDERS]
    return next((str(place) for place in places if place.exists()), "")


@dataclass
class SmallDisk:
    """A separate tmpfs for Redis' files, so that it can be filled without hurting the machine.

    Only root may mount one. Otherwise `mounted` stays false and the folder is a plain one.
    """

    folder: Path
    mounted: bool = False

    def mount(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        if os.geteuid() != 0 or not shutil.which("mount"):
            return
        command = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES},mode=700"]
        done = subprocess.run([*command, "poolsite-chaos", str(self.folder)], capture_output=True)
        self.mounted = done.returncode == 0

    def fill(self) -> None:
        """Take every free byte. Raise OSError for any error other than a full disk."""
        with (self.folder / "ballast").open("wb", buffering=0) as file:
            for size in (1 << 20, 1 << 12, 1):
                _write_until_full(file.fileno(), size)

    def free(self) -> None:
        (self.folder / "ballast").unlink(missing_ok=True)

    def unmount(self) -> None:
        if self.mounted:
            subprocess.run(["umount", "--lazy", str(self.folder)], capture_output=True, check=False)
            self.mounted = False


def _write_until_full(descriptor: int, size: int) -> None:
    block = b"\0" * size
    while True:
        try:
            os.write(descriptor, block)
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            return


@dataclass
class RedisNode:
    """One address, `url`.

    The server behind it may be killed, emptied, replaced, or given a wrong clock.
    """

    folder: Path
    clock: bool = False
    server: RedisServer = field(init=False)
    proxy: FaultyProxy = field(init=False)
    disk: SmallDisk = field(init=False)
    _count: int = 0
    _spare: list[RedisServer] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.disk = SmallDisk(self.folder / "disk")
        self.clock_file = self.folder / "clock"

    @property
    def url(self) -> str:
        """The address for every client: the proxy's."""
        return self.proxy.url

    @property
    def program(self) -> str:
        """The server program. Libfaketime needs Valkey's wheel: Debian's Redis uses jemalloc."""
        return programs.valkey_9() if self.clock else ""

    def start(self) -> "RedisNode":
        self.folder.mkdir(parents=True, exist_ok=True)
        self.clock_file.write_text("+0\n")
        self.disk.mount()
        self.server = self._new_server()
        self.server.start()
        self.proxy = FaultyProxy(("127.0.0.1", self.server.port)).start()
        return self

    def stop(self) -> None:
        """End everything that was started here. Do nothing if nothing was."""
        for server in [*self._spare, *([self.server] if hasattr(self, "server") else [])]:
            if server.process is not None:
                with suppress(ProcessLookupError):
                    os.kill(server.process.pid, signal.SIGCONT)
            server.stop()
        if hasattr(self, "proxy"):
            self.proxy.stop()
        self.disk.unmount()

    def client(self) -> "redis.Redis":
        """Return a client that bypasses the proxy, so that faults never affect the judges."""
        client: redis.Redis = redis.Redis.from_url(
            self.server.url, decode_responses=True, socket_timeout=5
        )
        return client

    def _new_server(self, *extra: str) -> RedisServer:
        self._count += 1
        environment = {}
        if self.clock:
            environment = {
                "LD_PRELOAD": faketime_library(),
                "FAKETIME_TIMESTAMP_FILE": str(self.clock_file),
                "FAKETIME_CACHE_DURATION": "1",
                "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            }
        return RedisServer(
            folder=self.disk.folder / str(self._count),
            program=self.program,
            port=free_port(),
            extra=["--repl-diskless-sync-delay", "0", *extra],
            environment=environment,
        )

    # -- what can be done to it -------------------------------------------------------------

    def kill(self) -> None:
        self.server.kill()

    def restart(self) -> None:
        """Restart with what the append-only file has."""
        self.server.start()

    def forget_data(self) -> None:
        """Remove the append-only file of the dead server."""
        shutil.rmtree(self.server.folder / "appendonlydir", ignore_errors=True)
        for path in self.server.folder.glob("*.aof"):
            path.unlink()

    def signal(self, number: signal.Signals) -> None:
        assert self.server.process is not None
        os.kill(self.server.process.pid, number)

    def step_clock(self, seconds: int) -> None:
        """Put the server's wall clock off by `seconds`. Return once it is."""
        self.clock_file.write_text(f"{seconds:+d}\n")
        with self.client() as client:

            def wrong() -> str:
                is_off = abs(client.time()[0] - time.time() - seconds) > 2
                return "libfaketime did not step the clock of Redis" if is_off else ""

            until_right(wrong, STEP_SECONDS, poll_seconds=0.05)

    def fail_over(self, lag_seconds: float) -> int:
        """Promote a replica that missed the last seconds. Return how many bytes it had missed.

        Its link is held while the primary continues and acknowledges; then the primary dies.
        """
        link = FaultyProxy(("127.0.0.1", self.server.port)).start()
        try:
            replica = self._new_server("--replicaof", "127.0.0.1", str(link.port)).start()
            self._spare.append(replica)
            _wait_until_synced(self.server, replica)
            link.set("drop-reply")
            before = _offset(replica)
            time.sleep(lag_seconds)
            missed = _offset(self.server) - before
            self.server.kill()
        finally:
            link.stop()
        with replica.client() as client:
            client.replicaof("NO", "ONE")
        self._spare.remove(replica)
        self.server = replica
        self.server.extra = self.server.extra[:2]  # after a restart it comes back as a primary
        self.proxy.target = ("127.0.0.1", replica.port)
        self.proxy.cut_all()
        return missed

    def keep_old_primary(self, lag_seconds: float) -> RedisServer:
        """Promote a lagging replica, and let the old primary live on. Return the old one.

        It refuses writes as soon as no replica receives them (`min-replicas-to-write`). New
        connections reach the promoted server, and so does half of the existing ones; the rest stay.
        """
        old = self.server
        link = FaultyProxy(("127.0.0.1", old.port)).start()
        try:
            replica = self._new_server("--replicaof", "127.0.0.1", str(link.port)).start()
            self._spare.append(replica)
            _wait_until_synced(old, replica)
            with old.client() as client:
                client.config_set("min-replicas-to-write", 1)
            link.set("drop-reply")
            time.sleep(lag_seconds)
            link.set("cut")  # both ways: the old primary has no replica any more
        finally:
            link.stop()
        _wait_until_alone(old)
        with replica.client() as client:
            client.replicaof("NO", "ONE")
        self._spare.remove(replica)
        self._spare.append(old)
        self.server = replica
        self.server.extra = self.server.extra[:2]
        self.proxy.target = ("127.0.0.1", replica.port)
        self.proxy.cut_half()
        return old

    def demote(self, old: RedisServer) -> None:
        """Make the old primary a replica of the new one, as a sentinel does."""
        with old.client() as client:
            client.replicaof("127.0.0.1", str(self.server.port))

    def end_old_primary(self, old: RedisServer) -> None:
        """End the old primary and the connections that clients had to it."""
        self._spare.remove(old)
        old.kill()
        self.proxy.cut_all()


def _wait_until_alone(server: RedisServer) -> None:
    with server.client() as client:

        def wrong() -> str:
            known = client.info("replication")["connected_slaves"]
            return "the old primary did not notice that its replica is gone" if known else ""

        until_right(wrong, SYNC_SECONDS, poll_seconds=0.05)


def _offset(server: RedisServer) -> int:
    with server.client() as client:
        info = client.info("replication")
    name = "master_repl_offset" if info["role"] == "master" else "slave_repl_offset"
    return int(info[name])


def _wait_until_synced(primary: RedisServer, replica: RedisServer) -> None:
    def wrong() -> str:
        with replica.client() as client:
            up = client.info("replication").get("master_link_status") == "up"
        is_synced = up and _offset(primary) - _offset(replica) < 4_096
        return "" if is_synced else "the replica did not catch up with the primary"

    until_right(wrong, SYNC_SECONDS, poll_seconds=0.05)
