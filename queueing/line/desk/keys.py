"""Every name of a desk's keys in Redis, in one place."""

from dataclasses import dataclass
from typing import Final

PREFIX: Final = "line."  # of every tag, before the slug
SUFFIXES = (
    *("", ":queues", ":visits", ":agents", ":waiting", ":ready", ":free", ":timers", ":log"),
    ":calls",
)


@dataclass(frozen=True, slots=True)
class DeskKeys:
    """The keys and channels of one desk. docs/reference/line/redis.md says what each holds."""

    slug: str

    @property
    def tag(self) -> str:
        """The hash tag with its braces: the key of the settings, and the start of all others."""
        return "{" + PREFIX + self.slug + "}"

    @property
    def all(self) -> tuple[str, ...]:
        """Every key, in the order in which the scripts take them."""
        tag = self.tag
        return tuple([tag + suffix for suffix in SUFFIXES])

    @property
    def log(self) -> str:
        """The stream of changes."""
        return self.tag + ":log"

    @property
    def wake_channel(self) -> str:
        """Published when something has changed, at most once in each tenth of a second."""
        return self.tag + ":wake"
