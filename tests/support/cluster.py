"""A real Redis Cluster of three masters, and slots that move while clients work."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from poolsite.runtime.redis_server import RedisServer
from tests.support.ports import free_port
from tests.support.waiting import until

SLOTS = 16_384
READY_SECONDS = 30.0


@dataclass
class RedisCluster:
    """Three masters below `folder` with all slots assigned.

    `program` chooses the server's version.
    """

    folder: Path
    program: str = ""
    appendfsync: str = "everysec"
    nodes: list[RedisServer] = field(default_factory=list)

    @property
    def url(self) -> str:
        """Return REDIS_URL with every node, so that one may be down at start-up."""
        return "redis+cluster://" + ",".join(f"127.0.0.1:{node.port}" for node in self.nodes)

    def start(self) -> "RedisCluster":
        """Start the nodes, join them and assign the slots.

        Return when every node sees a whole cluster.
        """
        for index in range(3):
            extra = ["--cluster-enabled", "yes", "--cluster-node-timeout", "2000"]
            node = RedisServer(
                self.folder / f"node{index}",
                program=self.program,
                port=free_port(),
                appendfsync=self.appendfsync,
                extra=extra,
            )
            self.nodes.append(node.start())
        self._share_slots()
        self._meet()
        self.wait_until_whole()
        return self

    def wait_until_whole(self) -> None:
        """Return when every node reports that all slots are served."""
        self._wait(lambda: all(self._sees_all(node) for node in self.nodes), "whole")

    def stop(self) -> None:
        for node in self.nodes:
            node.stop()
        self.nodes.clear()

    def node_id(self, node: RedisServer) -> str:
        return str(self._ask(node, "CLUSTER", "MYID"))

    def slot_of(self, key: str) -> int:
        return int(str(self._ask(self.nodes[0], "CLUSTER", "KEYSLOT", key)))

    def owner_of(self, slot: int) -> RedisServer:
        """Return the node that serves `slot` once all nodes agree on it.

        Just after a move, late gossip from one node can make a third node see the slot with its old
        owner again. A new move that starts from such a view would fail.
        """
        self._wait(lambda: len(self._owners(slot)) == 1, "of one mind")
        (port,) = self._owners(slot)
        return next(node for node in self.nodes if node.port == port)

    def _owners(self, slot: int) -> set[int]:
        """Return the ports that the nodes report for the slot's owner."""
        named: set[int] = set()
        for node in self.nodes:
            with node.client() as client:
                rows = client.execute_command("CLUSTER SLOTS")
            named |= {int(row[2][1]) for row in rows if int(row[0]) <= slot <= int(row[1])}
        return named

    def other_than(self, node: RedisServer) -> RedisServer:
        return next(candidate for candidate in self.nodes if candidate is not node)

    def begin_move(self, slot: int, target: RedisServer) -> RedisServer:
        """Open the migration of `slot` and return the source. From now on, clients get ASK."""
        source = self.owner_of(slot)
        self._ask(target, "CLUSTER", "SETSLOT", slot, "IMPORTING", self.node_id(source))
        self._ask(source, "CLUSTER", "SETSLOT", slot, "MIGRATING", self.node_id(target))
        return source

    def move_keys(self, slot: int, source: RedisServer, target: RedisServer, batch: int) -> int:
        """Move up to `batch` keys of the slot. Return how many were moved; 0 means none is left."""
        keys = self._ask(source, "CLUSTER", "GETKEYSINSLOT", slot, batch)
        assert isinstance(keys, list)
        if keys:
            self._ask(source, "MIGRATE", "127.0.0.1", target.port, "", 0, 5000, "KEYS", *keys)
        return len(keys)

    def finish_move(self, slot: int, target: RedisServer) -> None:
        """Give the slot to `target` on every node. From now on, the other nodes answer MOVED."""
        identity = self.node_id(target)
        for node in (target, *(n for n in self.nodes if n is not target)):
            self._ask(node, "CLUSTER", "SETSLOT", slot, "NODE", identity)

    def move_slot(
        self, slot: int, target: RedisServer, between: Callable[[], object] = lambda: None
    ) -> None:
        """Move a slot key by key. Call `between` while the slot is between the two nodes."""
        source = self.begin_move(slot, target)
        between()
        while self.move_keys(slot, source, target, batch=1):
            between()
        self.finish_move(slot, target)

    @staticmethod
    def _ask(node: RedisServer, *command: str | int) -> object:
        with node.client() as client:
            return client.execute_command(*command)

    def _share_slots(self) -> None:
        share = SLOTS // len(self.nodes) + 1
        for index, node in enumerate(self.nodes):
            first, last = index * share, min((index + 1) * share, SLOTS)
            self._ask(node, "CLUSTER", "ADDSLOTS", *range(first, last))
            # Distinct epochs from the start: with equal ones, the nodes first have to resolve the
            # conflict.
            self._ask(node, "CLUSTER", "SET-CONFIG-EPOCH", index + 1)

    def _meet(self) -> None:
        for node in self.nodes[1:]:
            self._ask(self.nodes[0], "CLUSTER", "MEET", "127.0.0.1", node.port)

    def _sees_all(self, node: RedisServer) -> bool:
        with node.client() as client:
            info = client.execute_command("CLUSTER INFO")
            known = client.execute_command("CLUSTER SLOTS")
        text = info if isinstance(info, str) else str(info)
        return ("cluster_state:ok" in text or "'cluster_state': 'ok'" in text) and len(known) == 3

    @staticmethod
    def _wait(condition: Callable[[], bool], word: str) -> None:
        until(condition, READY_SECONDS, evidence=lambda: f"the cluster is not {word}")
