"""What calls of a charged pool pay: vouchers to begin or go on, notes of what is next."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from numbers.pool.building import pool_command
from numbers.pool.transitions import EventOutcome, read_outcome
from poolsite.hotpath import Command

USED: Final = "used"
NONE: Final = "none"
OVER: Final = "over"  # the call does not run
GONE: Final = "gone"  # the note that another one was to replace


def voucher(slug: str, voucher: str, seconds: int, *, call_id: str = "") -> Command[EventOutcome]:
    """Let one call begin (or be renewed), within `seconds`.

    Reason "used" (one has done so) or "taken" (it was taken back): it was not written.
    """
    return pool_command("voucher", slug, [voucher, seconds, call_id], read_outcome, voucher)


def revoke_voucher(slug: str, voucher: str, *, call_id: str = "") -> Command[EventOutcome]:
    """Take a voucher back; reason "" (no call can use it any more), "used" or "none".

    What was taken back stays noted (kind t) until `charge` forgets it.
    """
    return pool_command("voucher", slug, [voucher, 0, call_id], read_outcome)


@dataclass(frozen=True, slots=True)
class Note:
    """One thing that is due. kind: v a voucher, t one that was taken back; c an interval to be
    held, d one that is held, s one that is to be settled at its end.

    `interval` counts from 1; `hold` is the hold that pays for it (of a voucher: its name). Of kind
    c it is the hold that tells the call's rate: of the interval before, or of this one, whose hold
    has ended unused; "" in a note of a release before. `seconds`: of kind s, when it is due, from
    the start of the call.
    """

    kind: str
    call_id: str
    interval: int = 0
    hold: str = ""
    seconds: int = 0

    @property
    def text(self) -> str:
        """As Redis keeps it."""
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
        """The note of a text. ValueError for one that is none."""
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
    """A note whose time has come at `at_us`. `used`: the voucher was.

    Of a call: its `number` while it runs, else `ended_us` (None: nobody knows any more).
    """

    note: Note
    at_us: int
    used: bool
    number: str
    ended_us: int | None


def charges(slug: str, limit: int = 500) -> Command[list[Due]]:
    """Read what is due; [] also when Redis has no such pool."""

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
    """Note what the call pays next, and forget other notes: all of it, or nothing.

    Each note comes with the ms from the start of the call at which it is due. New notes take the
    place of the first that is forgotten: of two workers one succeeds. Reason "over" (the call does
    not run) or "gone" (that one was not there): nothing was done.
    """
    texts = "\n".join(note.text for note, _ in notes)
    offsets = " ".join(str(offset_ms) for _, offset_ms in notes) or "0"
    words: list[str | int] = [call_id, texts, offsets]
    words += [each.text for each in forget]
    return pool_command("charge", slug, words, read_outcome, call_id)
