"""Payment of calls in charged pools: vouchers for the start and renewals, notes of what is due."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from numbers.pool.building import pool_command
from numbers.pool.transitions import EventOutcome, read_outcome
from poolsite.hotpath import Command

USED: Final = "used"
NONE: Final = "none"
OVER: Final = "over"  # the call has ended
GONE: Final = "gone"  # the note to replace does not exist


def voucher(slug: str, voucher: str, seconds: int, *, call_id: str = "") -> Command[EventOutcome]:
    """Allow one call to begin or to be renewed within `seconds`.

    Reason "used" (a call has used this voucher) or "taken" (it was revoked): it was not written.
    """
    return pool_command("voucher", slug, [voucher, seconds, call_id], read_outcome, voucher)


def revoke_voucher(slug: str, voucher: str, *, call_id: str = "") -> Command[EventOutcome]:
    """Revoke a voucher. Reason "" (no call can use it any more), "used" or "none".

    A note of kind t records a revoked voucher until `charge` forgets it.
    """
    return pool_command("voucher", slug, [voucher, 0, call_id], read_outcome)


@dataclass(frozen=True, slots=True)
class Note:
    """A note of something that is due.

    `kind`: v a voucher, t a revoked voucher; c an interval to hold, d a held interval, s an
    interval to settle at its end. `interval` counts from 1. `hold` is the ID of the hold that pays
    for the interval, or the voucher's name. For kind c it is the hold that has the call's rate: the
    previous interval's, or this interval's hold that ended unused; "" in a note of an earlier
    release. `seconds`: for kind s, when the note is due, counted from the start of the call.
    """

    kind: str
    call_id: str
    interval: int = 0
    hold: str = ""
    seconds: int = 0

    @property
    def text(self) -> str:
        """The note as Redis stores it."""
        words = [self.kind]
        if self.kind == "c":
            words.append(f"{self.interval},{self.hold}" if self.hold else str(self.interval))
        elif self.kind == "s":
            words += [f"{self.interval},{self.seconds}", self.hold]
        elif self.kind == "d":
            words += [str(self.interval), self.hold]
        else:
            words.append(self.hold)
        return " ".join([*words, self.call_id])

    @classmethod
    def read(cls, text: str) -> "Note":
        """Parse a note. Raise ValueError if the text is not a note."""
        kind, _, rest = text.partition(" ")
        interval, hold, seconds = "0", "", "0"
        if kind not in ("v", "t", "c", "d", "s"):
            raise ValueError(f"not a note: {text!r}")
        if kind == "c":
            word, _, rest = rest.partition(" ")
            interval, _, hold = word.partition(",")
        if kind in ("d", "s"):
            word, _, rest = rest.partition(" ")
            interval, _, seconds = word.partition(",")
        if kind != "c":
            hold, _, rest = rest.partition(" ")
        return cls(kind, rest, int(interval), hold, int(seconds or 0))


@dataclass(frozen=True, slots=True)
class Due:
    """A note that was due at `at_us`. `used`: whether its voucher was used.

    `number` is the call's number while the call is in progress. Otherwise `ended_us` is the call's
    end, or None if it is no longer known.
    """

    note: Note
    at_us: int
    used: bool
    number: str
    ended_us: int | None


def charges(slug: str, limit: int = 500) -> Command[list[Due]]:
    """Read what is due. Return [] also if Redis does not have the pool."""

    def read(reply: list[str]) -> list[Due]:
        if reply[0] == "-1":
            return []
        rows = zip(*(reply[2 + place :: 5] for place in range(5)), strict=True)
        return [
            Due(Note.read(note), int(at), used == USED, number, int(ended) if ended else None)
            for note, at, used, number, ended in rows
        ]

    return pool_command("charges", slug, [limit], read, slug)


def charge(
    slug: str,
    call_id: str,
    *,
    notes: Sequence[tuple[Note, int]] = (),
    forget: Sequence[Note] = (),
) -> Command[EventOutcome]:
    """Note the call's next payments, and forget other notes: all of it, or none.

    Each note comes with the ms from the start of the call at which it is due. The new notes replace
    the first forgotten one, so only one of two workers succeeds. Reason "over" (the call has ended)
    or "gone" (that note does not exist): nothing was changed.
    """
    texts = "\n".join(note.text for note, _ in notes)
    offsets = " ".join(str(offset_ms) for _, offset_ms in notes) or "0"
    words: list[str | int] = [call_id, texts, offsets]
    words += [each.text for each in forget]
    return pool_command("charge", slug, words, read_outcome, call_id)
