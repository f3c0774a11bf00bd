"""A real Sentinel that watches one master: for what settings make of redis+sentinel://."""

import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import redis

from poolsite.runtime.redis_server import RedisServer, die_with_parent, find_server_program
from tests.support.ports import free_port
from tests.support.waiting import until

SERVICE = "poolsite"


@dataclass
class SentinelGroup:
    """One master and one Sentinel below `folder`."""

    folder: Path
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    def __post_init__(self) -> None:
        self.master = RedisServer(self.folder / "master", port=free_port(), append_only=False)

    @property
    def url(self) -> str:
        return f"redis+sentinel://127.0.0.1:{self.port}/{SERVICE}/1"

    def start(self) -> "SentinelGroup":
        """Start both and return when the Sentinel tells who the master is."""
        self.master.start()
        configuration = self.folder / "sentinel.conf"
        configuration.write_text(
            f"port {self.port}\nbind 127.0.0.1\ndir {self.folder}\n"
            f"sentinel monitor {SERVICE} 127.0.0.1 {self.master.port} 1\n"
        )
        self.process = subprocess.Popen(
            [find_server_program(), str(configuration), "--sentinel"],
            stdout=subprocess.DEVNULL,
            preexec_fn=die_with_parent,
        )
        until(self._knows_the_master)
        return self

    def _knows_the_master(self) -> bool:
        try:
            with redis.Redis(port=self.port) as client:
                return bool(client.sentinel_get_master_addr_by_name(SERVICE))
        except redis.RedisError:
            return False

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait()
        self.master.stop()
