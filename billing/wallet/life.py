"""A wallet's lifetime in Redis: created, configured, opened and closed, rebuilt, removed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from billing.wallet.building import accepted, wallet_command
from billing.wallet.messages import NO_DAY, MessageState, state_text
from billing.wallet.scripts import SCRIPTS
from billing.wallet.settings import FIRST_DAY, WalletSettings
from poolsite.hotpath import Command

LOAD_LIMIT: Final = 500  # rows in one call of load, load_receipts
STATUS: Final = {"o": "open", "f": "frozen", "c": "closed", "r": "recovering"}
_LETTERS: Final = {word: letter for letter, word in STATUS.items()} | {
    letter: letter for letter in STATUS
}


def _answer(reply: list[str]) -> str:
    return accepted(reply)[1]


def _settings_words(
    settings: WalletSettings, now: datetime | None
) -> tuple[str, str, str, int, int]:
    days = " ".join(map(str, settings.midnights(now)))
    sha1 = SCRIPTS["hold"].sha1
    return settings.columns(now), days, sha1, settings.log_limit, settings.credit_limit


def create(
    slug: str,
    generation: int,
    settings: WalletSettings,
    *,
    balance: int = 0,
    receivable: int = 0,
    status: str = "open",
    grants: str = "",
    now: datetime | None = None,
) -> Command[str]:
    """Create the wallet's data: "created", or "exists" if this generation exists (nothing done).

    A newer generation removes the data of an older one and begins at seq 0. `status`: open, frozen,
    closed, recovering (safe mode; then load … and status). `now` decides the coming midnights.
    `balance` is below zero where credit is used; it includes the rest of `grants`
    (giving.grants_text). Raise WalletRefusedError("other generation …") if a newer one exists.
    """
    columns, days, sha1, log_limit, credit = _settings_words(settings, now)
    made = (generation, _LETTERS[status], columns, days, sha1, log_limit)
    args = (*made, balance, receivable, credit, grants)
    return wallet_command("create", slug, args, _answer, str(generation))


def configure(
    slug: str,
    settings: WalletSettings,
    *,
    now: datetime | None = None,
    keeps_credit: bool = False,
) -> Command[str]:
    """Write settings; also run each day for the coming midnights. Raise WalletRefusedError.

    `keeps_credit`: the credit limit in Redis does not change. Only a caller that has locked the
    wallet's row may write it; otherwise a limit that was lowered in the meantime would be raised
    again.
    """
    columns, days, sha1, log_limit, credit = _settings_words(settings, now)
    args = (columns, days, log_limit, sha1, "" if keeps_credit else credit)
    return wallet_command("configure", slug, args, _answer, columns)


def status(
    slug: str, status: str, reason: str, operation_id: str, *, generation: int | None = None
) -> Command[str]:
    """Set open, frozen, closed or recovering: "changed" or "repeat". Raise WalletRefusedError.

    `generation`: only if the data has this generation.
    """
    args = (_LETTERS[status], reason[:200], operation_id, _text(generation))
    return wallet_command("status", slug, args, _answer, operation_id)


def destroy(slug: str, generation: int, *, seq: int | None = None) -> Command[str]:
    """Remove the wallet's data; return "destroyed", "repeat", or "moved on".

    "moved on": nothing was done, because the last entry is not `seq`. Raise WalletRefusedError.
    """
    args = (str(generation), _text(seq))
    return wallet_command("destroy", slug, args, _answer, str(generation))


def _text(number: int | None) -> str:
    return "" if number is None else str(number)


@dataclass(frozen=True, slots=True)
class LoadRow:
    """A message for a wallet in safe mode. `known`: its hold is in the books (in SQL's `held`).

    An open hold that is not known is charged now with a change entry, as far as the balance covers
    it. `today`: held on the account's day on which the data was created, so its cost counts as
    spent.
    """

    state: MessageState
    known: bool = True
    today: bool = False


@dataclass(frozen=True, slots=True)
class Loaded:
    """Answers in the rows' order (loaded, repeat, insufficient balance), and wallet figures."""

    answers: tuple[str, ...]
    bal: int
    seq: int
    held: int


def load(slug: str, rows: Sequence[LoadRow]) -> Command[Loaded]:
    """Load up to LOAD_LIMIT messages; final ones oldest first. Raise WalletRefusedError."""
    if not 0 < len(rows) <= LOAD_LIMIT:
        raise ValueError(f"a load has 1 to {LOAD_LIMIT} rows, not {len(rows)}")
    args: list[str] = []
    for row in rows:
        record = state_text(row.state, FIRST_DAY if row.today else NO_DAY)
        args += ["k" if row.known else "n", row.state.message_id, record]

    def read(reply: list[str]) -> Loaded:
        accepted(reply)
        bal, seq, _credit, held = map(int, reply[1:5])
        return Loaded(tuple(reply[5:]), bal, seq, held)

    return wallet_command("load", slug, args, read, rows[0].state.message_id)


@dataclass(frozen=True, slots=True)
class Receipt:
    """An operation that is in the books; effects as in Movement."""

    operation_id: str
    kind: str
    amount: int
    spendable: int
    owed: int


def load_receipts(slug: str, receipts: Sequence[Receipt]) -> Command[int]:
    """Load up to LOAD_LIMIT receipts; return how many were new. Raise WalletRefusedError."""
    if not 0 < len(receipts) <= LOAD_LIMIT:
        raise ValueError(f"a load has 1 to {LOAD_LIMIT} receipts, not {len(receipts)}")
    args: list[str | int] = []
    for item in receipts:
        args += [item.operation_id, item.kind, item.amount, item.spendable, item.owed]
    return wallet_command(
        "load_receipts", slug, args, lambda reply: int(accepted(reply)[1]), "receipts"
    )
