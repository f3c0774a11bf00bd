"""Closed batches on their way to SQL, and the entries of the log."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from billing.wallet import reasons
from billing.wallet.building import accepted, wallet_command
from billing.wallet.changes import WalletChange, read_change
from poolsite.hotpath import Command

BATCH_ENTRIES: Final = 1_000
KEPT_ENTRIES: Final = 200  # committed ones, for live views


class ClosedBatch(NamedTuple):
    """Change entries first_seq … last_seq without gaps; `amount` is the sum of their `spendable`.

    `left` counts the entries after the batch, which the next batch takes.
    """

    number: int
    generation: int
    first_seq: int
    last_seq: int
    amount: int
    left: int
    entries: tuple[WalletChange, ...]


def close_batch(slug: str, limit: int = BATCH_ENTRIES) -> Command[ClosedBatch | None]:
    """Close the next batch, or return the closed one that is not trimmed yet.

    Return None if there are no entries. Raise WalletRefusedError if the wallet does not exist or
    its log is broken.
    """

    def read(reply: list[str]) -> ClosedBatch | None:
        number = int(accepted(reply)[1])
        if number == 0:
            return None
        generation, first, last, amount, left = map(int, reply[2:7])
        entries = _entries(range(first, last + 1), reply[7::2], reply[8::2])
        return ClosedBatch(number, generation, first, last, amount, left, entries)

    return wallet_command("close_batch", slug, (limit,), read, "close_batch")


def _entries(
    seqs: Sequence[int], times: Sequence[str], words: Sequence[str]
) -> tuple[WalletChange, ...]:
    return tuple(
        [read_change(seq, int(at), text) for seq, at, text in zip(seqs, times, words, strict=True)]
    )


class Trimmed(NamedTuple):
    """The result of trim_batch. `answer`: trimmed, or repeat (it was trimmed before)."""

    answer: str
    drained: int


def trim_batch(
    slug: str, generation: int, number: int, *, keep: int = KEPT_ENTRIES
) -> Command[Trimmed]:
    """Tell Redis that SQL has committed a batch. Raise WalletRefusedError."""

    def read(reply: list[str]) -> Trimmed:
        accepted(reply)
        return Trimmed(reply[1], int(reply[2]))

    args = (str(generation), number, keep)
    return wallet_command("trim_batch", slug, args, read, f"{generation}:{number}")


@dataclass(frozen=True, slots=True)
class Entries:
    """The figures at one moment, and the entries in the log then; trimmed entries are missing.

    There is a gap if `changes` begins later than the requested entry.
    """

    generation: int
    seq: int
    drained: int
    bal: int
    pend: int
    held: int
    receivable: int
    credit: int
    changes: tuple[WalletChange, ...]


def entries(slug: str, since: int, count: int = 500) -> Command[Entries | None]:
    """Read up to `count` entries after sequence number `since`.

    Return None if Redis has no such wallet.
    """

    def read(reply: list[str]) -> Entries | None:
        if reply[:2] == ["-1", reasons.NO_SUCH_WALLET]:
            return None
        generation, seq, drained, bal, pend, held, receivable, credit = map(
            int, accepted(reply)[1:9]
        )
        changes = _entries_of(reply)
        return Entries(generation, seq, drained, bal, pend, held, receivable, credit, changes)

    return wallet_command("entries", slug, (since + 1, count), read)


def _entries_of(reply: list[str]) -> tuple[WalletChange, ...]:
    return _entries([int(word) for word in reply[9::3]], reply[10::3], reply[11::3])


def batch_entries(slug: str, batch: ClosedBatch) -> Command[tuple[WalletChange, ...]]:
    """Read a closed batch's entries again; close_batch has returned them before."""

    def read(reply: list[str]) -> tuple[WalletChange, ...]:
        return _entries_of(accepted(reply))

    count = batch.last_seq - batch.first_seq + 1
    return wallet_command("entries", slug, (batch.first_seq, count), read)
