"""Names of a gate's keys in Redis; the scripts' headers name the others by their suffixes."""

from dataclasses import dataclass
from typing import Final

PREFIX: Final = "gate."  # of every tag, before the slug


@dataclass(frozen=True, slots=True)
class GateKeys:
    """The tag and the channel of one gate (docs/reference/admission/redis.md)."""

    slug: str

    @property
    def tag(self) -> str:
        """The hash tag with its braces: the key of the settings, and the start of all others."""
        return "{" + PREFIX + self.slug + "}"

    @property
    def wake_channel(self) -> str:
        """Published when something has changed, at most once in each tenth of a second."""
        return self.tag + ":wake"
