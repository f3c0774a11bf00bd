"""A real Sentinel that watches a master and its replica, and fails over within seconds."""

import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import redis

from poolsite.runtime.redis_server import RedisServer, die_with_parent, find_server_program
from tests.support.ports import free_port
from tests.support.waiting import until

SERVICE = "hot"


@dataclass
class RedisSentinel:
    """One master, one replica and one Sentinel (quorum 1) below `folder`."""

    folder: Path
    servers: list[RedisServer] = field(default_factory=list)
    port: int = 0
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        # The first address is dead: any Sentinel of the list may be down.
        return f"redis+sentinel://127.0.0.1:1,127.0.0.1:{self.port}/{SERVICE}/0"

    def start(self) -> "RedisSentinel":
        """Start all three. Return when Sentinel knows the replica and the replica is in sync."""
        at_once = ["--repl-diskless-sync-delay", "0"]
        master = RedisServer(self.folder / "a", port=free_port(), extra=at_once).start()
        self.servers = [master]
        following = [*at_once, "--replicaof", "127.0.0.1", str(master.port)]
        self.servers.append(
            RedisServer(self.folder / "b", port=free_port(), extra=following).start()
        )
        self.port = free_port()
        self._start_sentinel(master)
        until(self._in_step)
        return self

    def _start_sentinel(self, master: RedisServer) -> None:
        settings = [
            f"port {self.port}",
            "bind 127.0.0.1",
            f"dir {self.folder}",
            f"sentinel monitor {SERVICE} 127.0.0.1 {master.port} 1",
            f"sentinel down-after-milliseconds {SERVICE} 500",
            f"sentinel failover-timeout {SERVICE} 3000",
        ]
        config = self.folder / "sentinel.conf"
        config.write_text("\n".join(settings) + "\n")
        with (self.folder / "sentinel.log").open("ab") as log:
            self.process = subprocess.Popen(
                [find_server_program(), str(config), "--sentinel"],
                stdout=log,
                stderr=log,
                preexec_fn=die_with_parent,
            )

    def _in_step(self) -> bool:
        try:
            with redis.Redis(port=self.port, decode_responses=True) as sentinel:
                replicas = sentinel.execute_command("SENTINEL REPLICAS", SERVICE)
            with self.servers[1].client() as client:
                linked = client.info("replication").get("master_link_status") == "up"
        except redis.RedisError:
            return False
        return linked and len(replicas) == 1

    def bring_back(self, server: RedisServer) -> None:
        """Start a killed master again as what Sentinel would make it: a replica."""
        server.start()
        with server.client() as client:
            client.replicaof("127.0.0.1", str(self.master_port))

    @property
    def master_port(self) -> int:
        """Return the master's port according to Sentinel."""
        with redis.Redis(port=self.port, decode_responses=True) as sentinel:
            _, port = sentinel.execute_command("SENTINEL GET-MASTER-ADDR-BY-NAME", SERVICE)
        return int(port)

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait()
            self.process = None
        for server in self.servers:
            server.kill()  # on SIGTERM, a master waits ten seconds for its replica
