"""The tables of the gates: settings, batches of tasks, and all events."""

from poolsite.hotpath.rows import SLUG_PATTERN
from queueing.admission.models.gates import Gate, UnsentChange
from queueing.admission.models.records import GateEvent, MinuteSample
from queueing.admission.models.work import DEVICE_PATTERN, Task, TaskBatch

__all__ = [
    "DEVICE_PATTERN",
    "SLUG_PATTERN",
    "Gate",
    "GateEvent",
    "MinuteSample",
    "Task",
    "TaskBatch",
    "UnsentChange",
]
