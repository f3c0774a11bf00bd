"""Movements of money by operation, and what happens over time."""

import secrets
from dataclasses import dataclass
from typing import Final

from billing.money import check_units
from billing.wallet import reasons
from billing.wallet.building import accepted, wallet_command
from billing.wallet.charging import check_id
from poolsite.hotpath import Command

MOVEMENTS: Final = ("recharge", "credit", "debit", "chargeback", "cash_refund", "by_hand")


@dataclass(frozen=True, slots=True)
class Movement:
    """The result of a movement.

    `answer`: applied, repeat (done before, with the same figures), conflict (the operation ID is
    used for another operation), insufficient balance (a cash refund), cancelled (given up before),
    too large, too many grants, or a refusal of the wallet. `spendable` and `owed` are the effects
    on the available balance and on the receivable. `bal`, `seq` and `receivable` are the wallet's
    afterwards.
    """

    answer: str
    spendable: int = 0
    owed: int = 0
    bal: int = 0
    seq: int = 0
    receivable: int = 0

    @property
    def applied(self) -> bool:
        """Whether the movement is done, now or before."""
        return self.answer in (reasons.APPLIED, reasons.REPEAT)


def move(slug: str, operation_id: str, kind: str, amount: int) -> Command[Movement]:
    """Move money, once for each operation ID. `amount` is above zero; the kind decides the sign.

    recharge, credit: the receivable is paid first. debit, chargeback, by_hand: the available amount
    is taken, including credit, and the rest is owed. cash_refund: all or nothing, from the balance
    only. This works in every status of the wallet.
    """
    if kind not in MOVEMENTS:
        raise ValueError(f"not a movement: {kind!r}")
    words = (check_id(operation_id), kind, str(check_units(amount)))
    return wallet_command("move", slug, words, read_movement, operation_id)


def read_movement(reply: list[str]) -> Movement:
    """Return the result in the reply of a movement."""
    if reply[0] == "-1":
        return Movement(reply[1])
    bal, seq, spendable, owed, receivable = (int(reply[place]) for place in (1, 2, 4, 5, 6))
    return Movement(reply[3], spendable, owed, bal, seq, receivable)


def refuse(slug: str, operation_id: str, kind: str, amount: int) -> Command[str]:
    """Give a movement up for good. Raise WalletRefusedError.

    Return cancelled if `move` will do nothing under this ID from now on, repeat if it was applied
    before, conflict if the ID is used for another operation.
    """
    words = (check_id(operation_id), kind, str(check_units(amount)))

    def read(reply: list[str]) -> str:
        return accepted(reply)[1]

    return wallet_command("refuse", slug, words, read, operation_id)


@dataclass(frozen=True, slots=True)
class Paid:
    """Unpaid session messages that are paid now; `more`: try again at once."""

    message_ids: tuple[str, ...] = ()
    more: bool = False


def pay_unpaid(slug: str, limit: int = 100, *, operation_id: str = "") -> Command[Paid]:
    """Charge unpaid session messages, oldest first, as far as the balance covers them.

    After a lost reply, the receipt of `operation_id` (generated if none is given) returns the same
    IDs: these messages are to be delivered. Raise WalletRefusedError.
    """
    operation_id = operation_id or "unpaid:" + secrets.token_hex(12)
    check_id(operation_id)

    def read(reply: list[str]) -> Paid:
        accepted(reply)
        return Paid(tuple(reply[2:]), reply[1] == "1")

    return wallet_command("pay_unpaid", slug, (operation_id, limit), read, operation_id)


@dataclass(frozen=True, slots=True)
class WalletSwept:
    """The result of a sweep; `more`: run it again at once. Nothing is due before `next_us`."""

    more: bool
    cancelled: int
    expired: int
    orphans: int
    unpaid: int
    now_us: int
    next_us: int

    @property
    def count(self) -> int:
        return self.cancelled + self.expired + self.orphans + self.unpaid


# A wallet's clock is in doubt after 90 s without a visit (lua/modules/clock.lua).
VISIT_SECONDS: Final = 60.0


def sweep(slug: str, limit: int = 500) -> Command[WalletSwept | None]:
    """End what is past its time, up to `limit` of each kind. Return None if the wallet is missing.

    It does nothing in safe mode.
    """

    def read(reply: list[str]) -> WalletSwept | None:
        if reply[:2] == ["-1", reasons.NO_SUCH_WALLET]:
            return None
        accepted(reply)
        return WalletSwept(reply[1] == "1", *map(int, reply[2:]))

    return wallet_command("sweep", slug, (limit,), read, "sweep")


def purge(slug: str, limit: int = 500) -> Command[int]:
    """Forget up to `limit` final messages and receipts older than 7 days; return how many."""

    def read(reply: list[str]) -> int:
        return int(accepted(reply)[1])

    return wallet_command("purge", slug, (limit,), read, "purge")
