"""What pages and the API read about gates and batches, limited by tenant."""

from queueing.admission.selectors.batches import (
    batch_list,
    batch_out,
    failed_list,
    failed_rows,
    progress,
    state_counts,
    state_of,
    task_list,
)
from queueing.admission.selectors.explaining import explain
from queueing.admission.selectors.gates import GATES, GateNow, figures_of, gate_out

__all__ = [
    "GATES",
    "GateNow",
    "batch_list",
    "batch_out",
    "explain",
    "failed_list",
    "failed_rows",
    "figures_of",
    "gate_out",
    "progress",
    "state_counts",
    "state_of",
    "task_list",
]
