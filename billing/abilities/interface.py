"""What a provider of abilities is, and what comes back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

BUDGET_SECONDS: Final = 0.2  # an answer that takes longer is none
NUMBERS_LIMIT: Final = 1_000  # in one question


class ProviderFailedError(Exception):
    """The provider gave no usable answer."""


class ProviderSlowError(ProviderFailedError):
    """The provider took longer than the budget."""


@dataclass(frozen=True, slots=True)
class Ability:
    """What is known of one terminal, who said so, and how long ago.

    supports_yuexin None: nobody knows (source `unknown`), or nobody said so in time (`failed`,
    `slow`); the message then falls back to video.
    """

    number: str
    supports_yuexin: bool | None
    source: str
    age_seconds: int = 0

    @property
    def fallback(self) -> str:
        """The fallback that this terminal is sent: `yuexin` or `video`."""
        return "yuexin" if self.supports_yuexin else "video"


class AbilityProvider(Protocol):
    """Somebody who knows terminals."""

    name: str
    # Whether it waits for another machine: then it is asked in a thread of its own, so that the
    # budget holds whatever the other machine does.
    remote: bool

    def ask(self, numbers: Sequence[str], seconds: float) -> Mapping[str, bool]:
        """What it knows of up to NUMBERS_LIMIT numbers; one it does not know is left out.

        Callable from any thread, several at once. Should give up after `seconds`. Raises
        ProviderFailedError.
        """
