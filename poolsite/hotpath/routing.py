"""Finds the node that serves an aggregate: one server, Sentinel's master, or a slot's owner."""

from functools import lru_cache
from typing import Any

from redis.crc import key_slot

from poolsite.hotpath.address import RedisAddress

Node = str  # "host:port", or SERVER for a single server
SERVER: Node = ""


@lru_cache(maxsize=65_536)
def slot_of(tag: str) -> int:
    """Return the cluster slot of a tag such as "{numpool}"."""
    return int(key_slot(tag.encode()))


class Router:
    """A map from aggregates to nodes. Its changes are single assignments, so it is thread-safe.

    `follows`: the map can change, so a refused or lost command is a reason to read it again.
    """

    def __init__(self, address: RedisAddress) -> None:
        self.topology = address.topology
        self.follows = address.topology != "single"
        self._master: Node | None = None if self.follows else SERVER
        self._slots: dict[int, Node] = {}

    def node_of(self, tag: str) -> Node | None:
        """Return the node, or None if the map must be read first."""
        if self.topology != "cluster":
            return self._master
        return self._slots.get(slot_of(tag))

    def nodes(self) -> list[Node]:
        """Return every known master."""
        if self.topology != "cluster":
            return [] if self._master is None else [self._master]
        return sorted(set(self._slots.values()))

    def whom_to_ask(self, address: RedisAddress) -> list[Node]:
        """Return the nodes that may know the cluster's map: the known masters, then the URL's
        hosts.
        """
        starts = [f"{host}:{port}" for host, port in address.hosts]
        return list(dict.fromkeys([*self.nodes(), *starts]))

    def moved(self, slot: int, node: Node) -> None:
        """Record a slot's new owner from a MOVED reply."""
        self._slots[slot] = node

    def forget_master(self) -> None:
        if self.topology == "sentinel":
            self._master = None

    def learn_master(self, node: Node) -> None:
        self._master = node

    def learn_slots(self, rows: list[Any], asked: Node) -> None:
        """Record the whole map from CLUSTER SLOTS. `asked` replaces an empty host."""
        slots: dict[int, Node] = {}
        for first, last, master, *_replicas in rows:
            host = master[0] or asked.rpartition(":")[0]
            slots.update(dict.fromkeys(range(first, last + 1), f"{host}:{master[1]}"))
        self._slots = slots
