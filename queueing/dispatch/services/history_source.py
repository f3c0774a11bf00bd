"""The groups' kind of history: its streams, and where their entries go."""

from poolsite.aggregates.sources import AggregateSource
from poolsite.history import Retained
from queueing.dispatch import dispatcher as commands
from queueing.dispatch.models import DispatchEvent, Group, MinuteSample
from queueing.dispatch.services.healing import KIND, group_check, group_rebuild
from queueing.dispatch.services.records import write_entries

GROUP_HISTORY = AggregateSource(
    kind=KIND,
    model=Group,
    keys=commands.GroupKeys,
    write_entries=write_entries,
    show=commands.show,
    check=group_check,
    rebuild=group_rebuild,
    tables=lambda: (Retained(DispatchEvent), Retained(MinuteSample, "minute")),
)
