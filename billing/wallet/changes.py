"""Change entries of a wallet: what the scripts write, read back as values."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from billing.wallet.messages import KINDS, STATES

# The kinds that are no message's: their id is an operation's.
OPERATIONS: Final = frozenset(
    {
        "recharge",
        "credit",
        "debit",
        "chargeback",
        "cash_refund",
        "by_hand",
        "status",
        "limit",
        "grant",
        "revoke",
        "expired",
    }
)

_CELLS: Final = 17  # at most; a script leaves out the empty ones at the end
_EMPTY: Final = [""] * _CELLS


class WalletChange(NamedTuple):
    """One change entry. Amounts are effects: + can be spent, + held, + owed.

    kind: hold sent settle fail expire cancel session parked flag (of messages), recharge credit
    debit chargeback cash_refund by_hand status (`id` is the operation's), limit (no id; `mode` is
    the new credit limit in units), grant and revoke of promotional credit, expired (`id` names the
    promotion). `state`: the message's after it, "" = none (an orphan's flag, movements). `mode`,
    `price`: what was kept. `reported`: the mode of the report, or failed, interim, cancel, ?
    (flags, parked), "deadline" (ended by time), the reason (status; there `mode` is the status'
    letter). `difference`: delivered less paid, as far as report and stored prices tell.
    A tuple, since the persistence makes millions.
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
    grants: str = ""  # by how much it moved what is left of promotions: g7=-300,g9=-20

    @property
    def of_message(self) -> bool:
        return self.kind not in OPERATIONS


def read_change(seq: int, at_us: int, words: str) -> WalletChange:
    """Return an entry of the stream. Raises ValueError for one that no script of ours wrote."""
    cells = words.split("\t")
    grants = ""
    if "|" in cells[-1]:  # nothing else of the last cell can hold a bar
        cells[-1], _, grants = cells[-1].partition("|")
    if not 4 <= len(cells) <= _CELLS:
        raise ValueError(f"not an entry of a wallet: {words!r}")
    cells += _EMPTY[len(cells) :]
    kind, name, spendable, held, state, message_kind, quoted, body_hash, tariff_id = cells[:9]
    chatbot, mode, price, flag, reported, difference, receivable, prices = cells[9:]
    try:
        return WalletChange(
            seq,
            at_us,
            kind,
            name,
            int(spendable),
            int(held),
            int(receivable) if receivable else 0,
            STATES[state],
            KINDS[message_kind],
            int(quoted) if quoted else 0,
            body_hash,
            int(tariff_id) if tariff_id else None,
            chatbot,
            mode,
            int(price) if price else 0,
            flag,
            reported,
            int(difference) if difference else 0,
            prices,
            grants,
        )
    except (KeyError, ValueError) as error:
        raise ValueError(f"not an entry of a wallet: {words!r}") from error


def read_entry(seq: int, fields: Mapping[str, str]) -> WalletChange:
    """Return an entry as the stream has it: its number and its fields."""
    return read_change(seq, int(fields["at"]), fields["e"])
