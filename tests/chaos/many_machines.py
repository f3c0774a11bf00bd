"""The product as on many machines: a Cluster of three masters, 4 web, 3 workers, nginx, PgBouncer.

All load goes to nginx, whose configuration is the shipped one without TLS. Its access log shows how
clients were answered, and how fast. PgBouncer has the shipped configuration, too. Cache, channels
and broker have a separate Redis, as a Cluster needs it (docs/operations/settings.md).
"""

from pathlib import Path
from typing import cast

import redis

from poolsite.runtime.redis_server import RedisServer
from tests.chaos.redis_node import RedisNode
from tests.chaos.stack import Stack
from tests.chaos.stack_view import DATABASE
from tests.deploy.edge import SHIPPED, Nginx, changed, on_loopback, without_tls
from tests.deploy.pooler import Pooler
from tests.support.cluster import RedisCluster
from tests.support.ports import free_port
from tests.support.waiting import until

NGINX, POOLER = "nginx", "pooler"
SHIPPED_WEBS = ("127.0.0.1:8101", "127.0.0.1:8102")


class Masters(RedisNode):
    """Three masters in place of one server. `kill` takes the next one each time.

    They write through, as an installation that may lose nothing does (docs/operations/stores.md).
    """

    def start(self) -> "Masters":
        self.cluster = RedisCluster(self.folder / "cluster", appendfsync="always").start()
        self.server = self.cluster.nodes[-1]
        return self

    @property
    def url(self) -> str:
        return self.cluster.url

    def client(self) -> redis.Redis:
        """Return a client of the Cluster with the commands that a judge needs."""
        nodes = [redis.cluster.ClusterNode("127.0.0.1", each.port) for each in self.cluster.nodes]
        client = redis.RedisCluster(startup_nodes=nodes, decode_responses=True, socket_timeout=5)
        return cast("redis.Redis", client)

    def kill(self) -> None:
        nodes = self.cluster.nodes
        self.server = nodes[(nodes.index(self.server) + 1) % len(nodes)]
        super().kill()

    def restart(self) -> None:
        super().restart()
        self.cluster.wait_until_whole()

    def stop(self) -> None:
        if hasattr(self, "cluster"):
            self.cluster.stop()


class ManyMachines(Stack):
    """The stack of `make chaos` with more processes of every kind."""

    WEBS = 4
    WORKERS = 3

    def __init__(self, folder: Path, *, seed: int) -> None:
        super().__init__(folder, seed=seed)
        self.redis = Masters(folder / "redis")
        self.broker = RedisServer(folder / "broker", port=free_port(), appendfsync="always")
        self.nginx_port = free_port()

    @property
    def entrances(self) -> tuple[int, int]:
        return self.nginx_port, self.nginx_port

    @property
    def access_log(self) -> Path:
        """Return the log with a line for each request that nginx has answered."""
        return self.folder / NGINX / "access.log"

    def _start_servers(self) -> None:
        super()._start_servers()
        self.broker.start()
        self.pooler = Pooler(self.postgres, DATABASE, self.sql_proxy.port)
        self._define(POOLER, self.pooler.command())
        self.processes[POOLER].start()
        until(self.pooler.answers, evidence=self.pooler.said)

    def stop(self) -> None:
        super().stop()
        self.broker.stop()

    def _environment(self) -> dict[str, str]:
        url = self.broker.url
        return super()._environment() | {
            "CACHE_URL": url,
            "CELERY_BROKER_URL": url,
            "DATABASE_URL": self.pooler.url,
            "POOLSITE_SQL_POOLER": "1",
            "POOLSITE_TRUSTED_PROXIES": "127.0.0.1/32",
        }

    def _define_processes(self) -> None:
        super()._define_processes()
        folder = self.folder / NGINX
        folder.mkdir()
        text = on_loopback(SHIPPED.read_text(), folder, free_port(), self.nginx_port)
        line = "    server {} max_fails=0;"
        webs = "\n".join(line.format(f"127.0.0.1:{port}") for port in self.web_ports)
        upstream = {"\n".join(map(line.format, SHIPPED_WEBS)): webs}
        nginx = Nginx(folder, changed(without_tls(text, self.nginx_port), upstream))
        self._define(NGINX, nginx.command())
