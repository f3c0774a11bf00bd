"""The parts of number health: counts of calls, their slots, and the measures.

Definitions for people: docs/reference/numbers/health.md.
"""

from dataclasses import dataclass, fields

from numbers.models import CallRecord, Measure, Window
from numbers.models.health import SLOT_SECONDS
from poolsite.moments import us_of

SLOT_US = SLOT_SECONDS * 1_000_000


@dataclass
class CallTally:
    """Counts of calls. `untold`: the switch did not report whether they were answered."""

    calls: int = 0
    answered: int = 0
    short: int = 0
    untold: int = 0
    talk_ms: int = 0

    def add(self, record: CallRecord, short_seconds: int) -> None:
        """Count an ended call."""
        if record.answered is None:
            self.untold += 1
            return
        self.calls += 1
        if record.answered:
            talk_ms = talk_ms_of(record)
            self.answered += 1
            self.talk_ms += talk_ms
            self.short += talk_ms < short_seconds * 1_000

    def values(self) -> list[int]:
        return [getattr(self, name) for name in COUNTS]


COUNTS = tuple(each.name for each in fields(CallTally))


def talk_ms_of(record: CallRecord) -> int:
    """How long an answered call lasted: as reported, or else from its pick to its end."""
    if record.talk_seconds is not None:
        return record.talk_seconds * 1_000
    if record.ended_at is None:
        return 0
    return (us_of(record.ended_at) - us_of(record.started_at)) // 1_000


def slot_of(us: int) -> int:
    """The start of a moment's slot, in µs."""
    return us - us % SLOT_US


def window_from(window: Window, now_us: int) -> int:
    """Return the first slot of a window: the current slot, less the window's length."""
    return slot_of(now_us) - int(window.length.total_seconds()) * 1_000_000


def value_of(measure: str, tally: CallTally) -> float | None:
    """The value of a measure, in percent or seconds, or None if there is nothing to divide by."""
    whole = tally.calls if measure in (Measure.ASR, Measure.UNANSWERED) else tally.answered
    if not whole:
        return None
    part = {
        Measure.ASR: tally.answered * 100,
        Measure.UNANSWERED: (tally.calls - tally.answered) * 100,
        Measure.SHORT: tally.short * 100,
        Measure.MEAN: tally.talk_ms / 1_000,
    }[Measure(measure)]
    return part / whole


def calls_of(measure: str, tally: CallTally) -> int:
    """The number of calls behind a measure: answered calls for talk time and short calls."""
    return tally.calls if measure in (Measure.ASR, Measure.UNANSWERED) else tally.answered
