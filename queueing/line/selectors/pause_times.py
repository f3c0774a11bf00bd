"""How long a desk's agents paused, for which reason."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from queueing.line import pauses
from queueing.line.models import AgentShift, Desk


@dataclass(frozen=True, slots=True)
class ReasonTime:
    """The pauses for one reason: how many, and their seconds within the time that is asked for."""

    reason: str
    count: int
    seconds: int

    @property
    def words(self) -> str:
        """The reason in the reader's language; "" was none."""
        return pauses.words_of(self.reason)


def by_reason(desk: Desk, since: datetime, until: datetime, *, now: datetime) -> list[ReasonTime]:
    """The longest first; a pause counts as far as it lies in this time, until now if it runs."""
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
