"""What pages and interfaces read of gates and batches; tenant-safe."""

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
from queueing.admission.selectors.gates import (
    HOUR_COUNTERS,
    GateNow,
    figures_of,
    gate_get,
    gate_list,
    gate_now,
    gate_out,
    hour_sums,
    samples,
    story,
    visible_gates,
    with_figures,
    with_hours,
)

__all__ = [
    "HOUR_COUNTERS",
    "GateNow",
    "batch_list",
    "batch_out",
    "explain",
    "failed_list",
    "failed_rows",
    "figures_of",
    "gate_get",
    "gate_list",
    "gate_now",
    "gate_out",
    "hour_sums",
    "progress",
    "samples",
    "state_counts",
    "state_of",
    "story",
    "task_list",
    "visible_gates",
    "with_figures",
    "with_hours",
]
