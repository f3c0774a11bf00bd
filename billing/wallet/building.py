"""How every command of a wallet is put together: its script, its keys, its words."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from billing.wallet.keys import WalletKeys
from billing.wallet.scripts import SCRIPTS
from poolsite.hotpath import AggregateRefused, Argument, Command

T = TypeVar("T")


class WalletRefusedError(AggregateRefused):
    """The wallet itself refused a command; `reason` is one of billing.wallet.reasons."""


def wallet_command(
    script: str,
    slug: str,
    args: Sequence[Argument],
    read: Callable[[list[str]], T],
    repeat: str | None = None,
) -> Command[T]:
    """Return a command; `repeat`: what makes a second run harmless (its operation id)."""
    value = SCRIPTS[script]
    return Command(
        value, value.keys_of(WalletKeys(slug).tag), tuple(args), read, operation_id=repeat
    )


def accepted(reply: list[str]) -> list[str]:
    """Return the reply; WalletRefusedError when it is a refusal of the wallet."""
    if reply[0] == "-1":
        raise WalletRefusedError(reply[1])
    return reply
