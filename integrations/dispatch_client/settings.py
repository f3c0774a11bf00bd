"""Where the dispatcher is, and how patient a peer is with it."""

import ssl as tls
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Settings:
    """What both kinds of peers need.

    `servers` are addresses without a path, `ws://10.0.0.1:8000`; after each lost link the next one
    is tried. `unacknowledged_limit`: so many own frames may wait for the dispatcher's word;
    then a send waits. `backoff_seconds` are the pauses before each attempt, the last one again
    and again, each shortened at random by up to half so that a thousand peers do not come at once.
    """

    servers: Sequence[str]
    group: str
    token: str = field(repr=False)
    binary: bool = False
    unacknowledged_limit: int = 1_000
    backoff_seconds: Sequence[float] = (0.1, 0.3, 1.0, 2.0, 5.0)
    open_seconds: float = 10.0
    proxy: str | None = None
    ssl: tls.SSLContext | None = None

    def address(self, attempt: int, side: str) -> str:
        """The socket's address for the n-th attempt; side is `front` or `back`."""
        server = self.servers[attempt % len(self.servers)].rstrip("/")
        return f"{server}/ws/dispatch/{self.group}/{side}/"
