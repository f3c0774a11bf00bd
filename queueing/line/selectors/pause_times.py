"""How long a desk's agents paused, by reason."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from queueing.line import pauses
from queueing.line.models import AgentShift, Desk


@dataclass(frozen=True, slots=True)
class ReasonTime:
    """The pauses for one reason: their number, and their seconds within the report's span."""

    reason: str
    count: int
    seconds: int

    @property
    def words(self) -> str:
        """The reason in the reader's language; "" if none was given."""
        return pauses.words_of(self.reason)


def by_reason(desk: Desk, since: datetime, until: datetime, *, now: datetime) -> list[ReasonTime]:
    """Return the pauses by reason, longest first.

    A pause counts as far as it lies within this span. A running pause counts until now.
    """
    shifts = AgentShift.objects.filter(
        Q(ended_at=None) | Q(ended_at__gt=since), agent__desk=desk, began_at__lt=until
    )
    totals: dict[str, tuple[int, float]] = {}
    for ended, its_pauses in shifts.values_list("ended_at", "pauses"):
        for pause in its_pauses:
            begins = datetime.fromisoformat(pause["from"])
            ends = datetime.fromisoformat(pause["until"]) if pause["until"] else ended or now
            seconds = (min(ends, until) - max(begins, since)).total_seconds()
            if seconds > 0:
                count, spent = totals.get(pause["reason"], (0, 0.0))
                totals[pause["reason"]] = (count + 1, spent + seconds)
    rows = [ReasonTime(name, count, round(spent)) for name, (count, spent) in totals.items()]
    return sorted(rows, key=lambda row: (-row.seconds, row.reason))
