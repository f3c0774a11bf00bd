"""The desks' history: which streams exist, and how their entries are stored."""

from poolsite.aggregates.sources import AggregateSource
from poolsite.history import Retained
from queueing.line import desk as commands
from queueing.line.models import AgentShift, Desk, DeskSample, LineEvent, Visit
from queueing.line.services.healing import KIND, desk_check, desk_rebuild
from queueing.line.services.records import write_entries

DESK_HISTORY = AggregateSource(
    kind=KIND,
    model=Desk,
    keys=commands.DeskKeys,
    write_entries=write_entries,
    show=commands.show,
    check=desk_check,
    rebuild=desk_rebuild,
    tables=lambda: (
        Retained(LineEvent),
        Retained(Visit, "joined_at"),
        Retained(DeskSample, "minute"),
        Retained(AgentShift, "began_at"),
    ),
)
