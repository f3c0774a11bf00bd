"""The interface of ability providers, and their answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

BUDGET_SECONDS: Final = 0.2  # a longer answer counts as none
NUMBERS_LIMIT: Final = 1_000  # per request


class ProviderFailedError(Exception):
    """The provider gave no usable answer."""


class ProviderSlowError(ProviderFailedError):
    """The provider took longer than the budget."""


@dataclass(frozen=True, slots=True)
class Ability:
    """What is known about a terminal, from which source, and how long ago.

    `supports_yuexin` is None if the source doesn't know (`unknown`) or gave no answer in time
    (`failed`, `slow`). The message then falls back to video.
    """

    number: str
    supports_yuexin: bool | None
    source: str
    age_seconds: int = 0

    @property
    def fallback(self) -> str:
        """The fallback for this terminal: `yuexin` or `video`."""
        return "yuexin" if self.supports_yuexin else "video"


class AbilityProvider(Protocol):
    """A source of terminals' abilities."""

    name: str
    # Whether it waits for another machine. Then it is called in its own thread, so that the budget
    # holds whatever the other machine does.
    remote: bool

    def ask(self, numbers: Sequence[str], seconds: float) -> Mapping[str, bool]:
        """Return what is known about up to NUMBERS_LIMIT numbers, without the unknown ones.

        Must be callable from several threads at once. Should give up after `seconds`. Raise
        ProviderFailedError.
        """
