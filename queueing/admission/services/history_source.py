"""The gates' kind of history: its streams, and where their entries go."""

from poolsite.aggregates.sources import AggregateSource
from poolsite.history import Retained
from queueing.admission import gate as commands
from queueing.admission.models import Gate, GateEvent, MinuteSample
from queueing.admission.services.common import KIND
from queueing.admission.services.rebuilding import gate_check, gate_rebuild
from queueing.admission.services.records import write_entries

GATE_HISTORY = AggregateSource(
    kind=KIND,
    model=Gate,
    keys=commands.GateKeys,
    write_entries=write_entries,
    show=commands.show,
    check=gate_check,
    rebuild=gate_rebuild,
    tables=lambda: (Retained(GateEvent), Retained(MinuteSample, "minute")),
)
