"""Names of a gate's keys in Redis. The scripts' headers list the other keys by their suffixes."""

from dataclasses import dataclass
from typing import Final

PREFIX: Final = "gate."  # of every tag, before the slug


@dataclass(frozen=True, slots=True)
class GateKeys:
    """The tag and the channel of a gate (docs/reference/admission/redis.md)."""

    slug: str

    @property
    def tag(self) -> str:
        """The hash tag with its braces: the key of the settings, and the start of all others."""
        return "{" + PREFIX + self.slug + "}"

    @property
    def wake_channel(self) -> str:
        """The channel for changes. A message is published at most once per tenth of a second."""
        return self.tag + ":wake"
