"""The rows that a closed batch writes, as far as they are known without SQL.

They are prepared while the previous batches are written to SQL (rounds.py), so this module must not
query the database.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from billing.persistence import calls
from billing.persistence.entries import SEPARATOR, AccountBatch, digest_behind, legs, said_of
from billing.persistence.folding import MessageDelta, messages_of
from billing.wallet import WalletChange, read_parts, reasons
from poolsite.moments import moment_of
from poolsite.sql_texts import Row

_COLUMNS_SAID = 13


class Sheet(NamedTuple):
    """A batch with the rows to write for it. If `fault` has a reason, there are no rows.

    `said`: the columns of each journal row in the form that its digest covers. `plain`: no column
    has a character that COPY interprets or the separator, and no row has a promotional leg.
    """

    batch: AccountBatch
    fault: str = ""
    held: int = 0
    receivable: int = 0
    said: Sequence[str] = ()
    plain: bool = False
    messages: Sequence[MessageDelta] = ()
    flagged: Sequence[Row] = ()
    receivables: Sequence[Row] = ()
    calls: Sequence[Row] = ()
    promotions: Sequence[Row] = ()

    def digests_after(self, before: str) -> list[str]:
        """Return the digest of each journal row, chained to the last digest in SQL."""
        found = []
        for said in self.said:
            before = digest_behind(before, said)
            found.append(before)
        return found

    def journal_lines(self, digests: list[str]) -> list[str] | None:
        """Return the journal's rows in COPY's text format, or None if they must be escaped."""
        if not self.plain:
            return None
        key = self.batch.wallet_id
        return [
            f"{key}\t{columns}\t{digest}\n"
            for columns, digest in zip(
                [said.replace(SEPARATOR, "\t") for said in self.said], digests, strict=True
            )
        ]

    def journal_rows(self, digests: list[str]) -> list[Row]:
        """Return the journal's rows as values."""
        batch = self.batch
        return [
            (
                *(batch.wallet_id, batch.generation, change.seq, change.at_us),
                *(change.kind, change.id, *legs(change)),
                *(change.state, change.mode, change.chatbot, digest),
            )
            for change, digest in zip(batch.changes, digests, strict=True)
        ]


def sheet_of(batch: AccountBatch) -> Sheet:
    """Prepare the rows of a closed batch."""
    fault = batch.fault()
    if fault:
        return Sheet(batch, fault)
    held = receivable = 0
    said: list[str] = []
    flagged: list[Row] = []
    receivables: list[Row] = []
    promotions: list[Row] = []
    for change in batch.changes:  # one loop for everything: most batches have one or two entries
        said.append(said_of(batch.generation, change))
        held += change.held
        if change.receivable:
            receivable += change.receivable
            receivables.append(_receivable(batch, change))
        if change.flag in reasons.LISTED:
            flagged.append(_flagged(batch, change))
        if change.grants:
            promotions += _moves(batch, change)
    return Sheet(
        *(batch, "", held, receivable, said, _plain("".join(said), len(said))),
        *(messages_of(batch), flagged, receivables, calls.sums_of(batch), promotions),
    )


def _plain(said: str, rows: int) -> bool:
    """Whether COPY needs no escapes, checked for all rows at once.

    There must be no character that COPY interprets, and no separators except those between columns.
    """
    if said.count(SEPARATOR) != rows * (_COLUMNS_SAID - 1):
        return False
    return "\\" not in said and "\t" not in said and "\n" not in said and "\r" not in said


def _flagged(batch: AccountBatch, change: WalletChange) -> tuple[Any, ...]:
    return (
        *(batch.wallet_id, batch.generation, change.seq, change.id),
        *(change.flag, change.reported[:64], change.state, change.difference),
        *(moment_of(change.at_us), "", "", ""),
    )


def _receivable(batch: AccountBatch, change: WalletChange) -> tuple[Any, ...]:
    return (
        *(batch.wallet_id, batch.generation, change.seq, change.id),
        *(change.receivable, moment_of(change.at_us)),
    )


def _moves(batch: AccountBatch, change: WalletChange) -> list[Row]:
    return [
        (
            *(batch.wallet_id, promotion, batch.generation, change.seq, change.kind, change.id),
            *(amount, moment_of(change.at_us)),
        )
        for promotion, amount in read_parts(change.grants)
    ]
