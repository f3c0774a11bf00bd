"""All names of a desk's keys in Redis."""

from dataclasses import dataclass
from typing import Final

PREFIX: Final = "line."  # of every tag, before the slug
SUFFIXES = (
    *("", ":queues", ":visits", ":agents", ":waiting", ":ready", ":free", ":timers", ":log"),
    ":calls",
)


@dataclass(frozen=True, slots=True)
class DeskKeys:
    """The keys and channels of one desk. docs/reference/line/redis.md describes their contents."""

    slug: str

    @property
    def tag(self) -> str:
        """The hash tag with its braces: the key of the settings, and the prefix of all others."""
        return "{" + PREFIX + self.slug + "}"

    @property
    def all(self) -> tuple[str, ...]:
        """Every key, in the order that the scripts take."""
        tag = self.tag
        return tuple([tag + suffix for suffix in SUFFIXES])

    @property
    def log(self) -> str:
        """The key of the stream of changes."""
        return self.tag + ":log"

    @property
    def wake_channel(self) -> str:
        """The channel that announces changes, at most ten times a second."""
        return self.tag + ":wake"
