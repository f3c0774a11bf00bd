"""The dispatcher's address, and the limits and timeouts of a peer."""

import ssl as tls
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of both kinds of peers.

    `servers` are addresses without a path, such as `ws://10.0.0.1:8000`. After each lost link, the
    next one is tried. `unacknowledged_limit` is how many of the peer's frames may wait for an
    acknowledgement; a send waits beyond that. `backoff_seconds` are the pauses before each attempt.
    The last one is repeated. Each is shortened by a random share, up to half, so that a thousand
    peers do not connect at the same moment.
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
        """Return the socket's address for attempt number `attempt`; `side` is `front` or `back`."""
        server = self.servers[attempt % len(self.servers)].rstrip("/")
        return f"{server}/ws/dispatch/{self.group}/{side}/"
