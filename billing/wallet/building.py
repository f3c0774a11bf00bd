"""How every command of a wallet is built: its script, its keys, its arguments."""

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
    """Return a command; `repeat` is the operation ID, which makes a second run harmless."""
    value = SCRIPTS[script]
    return Command(
        value, value.keys_of(WalletKeys(slug).tag), tuple(args), read, operation_id=repeat
    )


def accepted(reply: list[str]) -> list[str]:
    """Return the reply, or raise WalletRefusedError if the wallet refused the command."""
    if reply[0] == "-1":
        raise WalletRefusedError(reply[1])
    return reply
