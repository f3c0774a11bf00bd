"""Limits as values, and the interface of the script that takes permits from their buckets."""

from dataclasses import dataclass
from pathlib import Path

from poolsite import hotpath

SCRIPTS = hotpath.load_folder("limits", Path(__file__).parent / "lua")
SECOND_US = 1_000_000


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit: `permits` become free again in `period_us`; at most `burst` can be taken at once.

    `name` is part of the Redis key.
    """

    name: str
    permits: int
    period_us: int
    burst: int

    def cost_us(self, permits: int) -> int:
        """Return how long these permits take to become free again, in µs, rounded up."""
        return -(-permits * self.period_us // self.permits)


@dataclass(frozen=True, slots=True)
class LimitedClient:
    """A client: the tag of its keys, and every limit that each of its requests counts for."""

    tag: str
    limits: tuple[Limit, ...]


@dataclass(frozen=True, slots=True)
class Taken:
    """The `permits` that were given. `wait_us`: until the next one; 0 if all were given."""

    permits: int
    wait_us: int


def per_second(name: str, permits: int, burst_seconds: int) -> Limit:
    """Return a limit of `permits` a second, with a burst of what `burst_seconds` allow."""
    return Limit(name, permits, SECOND_US, permits * burst_seconds)


def take(client: LimitedClient, wanted: int) -> hotpath.Command[Taken]:
    """Take up to `wanted` permits from every bucket of the client, or none from any. Atomic.

    Not retried after a lost reply: its permits are lost, which only makes the limit stricter.
    """
    script = SCRIPTS["take"]
    keys = (client.tag, *(f"{client.tag}:{limit.name}" for limit in client.limits))
    args: list[int] = [wanted]
    for limit in client.limits:
        args += (limit.permits, limit.period_us, limit.burst)
    return hotpath.Command(script, keys, tuple(args), _read)


def _read(reply: list[str]) -> Taken:
    return Taken(int(reply[0]), int(reply[1]))
