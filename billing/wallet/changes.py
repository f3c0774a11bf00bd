"""Change entries of a wallet: what the scripts write, read back as values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from billing.wallet.messages import KINDS, STATES

# The kinds that are no message's: their id is an operation's.
OPERATIONS: Final = frozenset(
    {"recharge", "credit", "debit", "chargeback", "cash_refund", "by_hand", "status"}
)


@dataclass(frozen=True, slots=True)
class Change:
    """One change entry. Amounts are effects: + can be spent, + held, + owed.

    kind: hold sent settle fail expire cancel session parked flag (of messages), recharge credit
    debit chargeback cash_refund by_hand status (`id` is the operation's). `state`: the message's
    after it, "" = none (an orphan's flag, movements). `mode`, `price`: what was kept. `reported`:
    the mode of the report, or failed, interim, cancel, ? (flags, parked), "deadline" (ended by
    time), the reason (status; there `mode` is the status' letter). `difference`: delivered less
    paid, as far as report and stored prices tell.
    """

    seq: int
    at_us: int
    kind: str
    id: str
    spendable: int = 0
    held: int = 0
    receivable: int = 0
    state: str = ""
    message_kind: str = ""
    quoted: int = 0
    body_hash: str = ""
    tariff_id: int | None = None
    chatbot: str = ""
    mode: str = ""
    price: int = 0
    flag: str = ""
    reported: str = ""
    difference: int = 0
    prices: str = ""  # of a hold, as they are stored with the message

    @property
    def of_message(self) -> bool:
        return self.kind not in OPERATIONS


def read_change(seq: int, at_us: int, words: str) -> Change:
    """Return an entry of the stream. Raises ValueError for one that no script of ours wrote."""
    cells = words.split("\t")
    if not 4 <= len(cells) <= 17:
        raise ValueError(f"not an entry of a wallet: {words!r}")
    cells += [""] * (17 - len(cells))
    try:
        return Change(
            seq=seq,
            at_us=at_us,
            kind=cells[0],
            id=cells[1],
            spendable=int(cells[2]),
            held=int(cells[3]),
            receivable=int(cells[15] or 0),
            state=STATES[cells[4]],
            message_kind=KINDS[cells[5]],
            quoted=int(cells[6] or 0),
            body_hash=cells[7],
            tariff_id=int(cells[8]) if cells[8] else None,
            chatbot=cells[9],
            mode=cells[10],
            price=int(cells[11] or 0),
            flag=cells[12],
            reported=cells[13],
            difference=int(cells[14] or 0),
            prices=cells[16],
        )
    except (KeyError, ValueError) as error:
        raise ValueError(f"not an entry of a wallet: {words!r}") from error


def read_fields(stream_id: str, fields: Mapping[str, str]) -> Change:
    """Return an entry as XRANGE gives it: its id and its fields."""
    return read_change(int(stream_id.partition("-")[0]), int(fields["at"]), fields["e"])
