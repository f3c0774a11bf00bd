"""Change entries of a wallet: written by the scripts, read here as values."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from billing.wallet.messages import KINDS, STATES

# Kinds whose ID is that of an operation, not of a message.
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

_CELLS: Final = 17  # at most; scripts omit empty cells at the end
_EMPTY: Final = [""] * _CELLS


class WalletChange(NamedTuple):
    """One change entry. Amounts are effects: + is available, + is held, + is owed.

    Kinds of messages: hold sent settle fail expire cancel session parked flag. Kinds with the
    operation's `id`: recharge credit debit chargeback cash_refund by_hand status. limit has no ID,
    and `mode` is the new credit limit in units. grant and revoke are of promotional credit; the
    `id` of expired names the promotion. `state` is the message's state afterwards, "" for none (an
    orphan's flag, movements). `mode` and `price` are what was charged. `reported` is the mode of
    the report, or failed, interim, cancel, ? (flags, parked), "deadline" (ended by time), or the
    reason (status; there `mode` is the status letter). `difference` is what was delivered less what
    was paid, as far as the report and the stored prices show it.
    It is a tuple, because the persistence creates millions.
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
    prices: str = ""  # of a hold, in the form stored with the message
    grants: str = ""  # changes of promotional credit: g7=-300,g9=-20

    @property
    def of_message(self) -> bool:
        return self.kind not in OPERATIONS


def read_change(seq: int, at_us: int, words: str) -> WalletChange:
    """Return an entry of the stream. Raise ValueError for one that no script of ours wrote."""
    cells = words.split("\t")
    grants = ""
    if "|" in cells[-1]:  # no other part of the last cell can contain a bar
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
    """Return an entry from its number and its fields in the stream."""
    return read_change(seq, int(fields["at"]), fields["e"])
