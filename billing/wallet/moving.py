"""Money in and out by operation, and what time brings."""

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
    """What a movement did. answer: applied, repeat (done before: the same figures), conflict
    (the operation id stands for something else), insufficient balance (a cash refund), cancelled
    (given up before), too large, too many grants, or a refusal of the wallet.

    `spendable`, `owed`: the effect on what can be spent and on the receivable; `bal`, `seq`,
    `receivable`: the wallet after it.
    """

    answer: str
    spendable: int = 0
    owed: int = 0
    bal: int = 0
    seq: int = 0
    receivable: int = 0

    @property
    def applied(self) -> bool:
        """Whether the movement stands, now or from before."""
        return self.answer in (reasons.APPLIED, reasons.REPEAT)


def move(slug: str, operation_id: str, kind: str, amount: int) -> Command[Movement]:
    """Move money, once for each operation id. `amount` is above zero, the kind tells the sign.

    recharge, credit: the receivable is paid first. debit, chargeback, by_hand: what can be spent is
    taken, credit included, the rest is owed. cash_refund: all or nothing, of the balance alone. In
    every status of the wallet.
    """
    if kind not in MOVEMENTS:
        raise ValueError(f"not a movement: {kind!r}")
    words = (check_id(operation_id), kind, str(check_units(amount)))
    return wallet_command("move", slug, words, read_movement, operation_id)


def read_movement(reply: list[str]) -> Movement:
    """Return what the reply of a movement says."""
    if reply[0] == "-1":
        return Movement(reply[1])
    bal, seq, spendable, owed, receivable = (int(reply[place]) for place in (1, 2, 4, 5, 6))
    return Movement(reply[3], spendable, owed, bal, seq, receivable)


def refuse(slug: str, operation_id: str, kind: str, amount: int) -> Command[str]:
    """Give a movement up for good. cancelled: `move` does nothing under this id any more; repeat:
    it was applied before; conflict: the id stands for something else. Raises WalletRefusedError.
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
    """Charge unpaid session messages, oldest first, as far as the balance goes.

    The receipt by `operation_id` (made up when none is given) brings the same ids after a lost
    reply: they are to be delivered. Raises WalletRefusedError.
    """
    operation_id = operation_id or "unpaid:" + secrets.token_hex(12)
    check_id(operation_id)

    def read(reply: list[str]) -> Paid:
        accepted(reply)
        return Paid(tuple(reply[2:]), reply[1] == "1")

    return wallet_command("pay_unpaid", slug, (operation_id, limit), read, operation_id)


@dataclass(frozen=True, slots=True)
class WalletSwept:
    """What a sweep ended; `more`: run it again at once. Nothing is due before `next_us`."""

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


# A wallet's clock is in doubt when nobody has asked for 90 s (lua/modules/clock.lua).
VISIT_SECONDS: Final = 60.0


def sweep(slug: str, limit: int = 500) -> Command[WalletSwept | None]:
    """End what time has ended, up to `limit` of each kind; None = no such wallet in Redis.

    Nothing in safe mode.
    """

    def read(reply: list[str]) -> WalletSwept | None:
        if reply[:2] == ["-1", reasons.NO_SUCH_WALLET]:
            return None
        accepted(reply)
        return WalletSwept(reply[1] == "1", *map(int, reply[2:]))

    return wallet_command("sweep", slug, (limit,), read, "sweep")


def purge(slug: str, limit: int = 500) -> Command[int]:
    """Forget up to `limit` final messages and receipts older than 7 days; returns how many."""

    def read(reply: list[str]) -> int:
        return int(accepted(reply)[1])

    return wallet_command("purge", slug, (limit,), read, "purge")
