"""Use cases that change gates and batches: check rights, change SQL, audit, then Redis."""

from queueing.admission.services.batches import (
    Uploaded,
    batch_cancel,
    batch_catch_up,
    batch_create,
    batch_extend,
    batch_pause,
    batch_resume,
)
from queueing.admission.services.gates import (
    gate_configure,
    gate_create,
    gate_delete,
    gate_open_early,
    gate_pause,
    gate_pin,
    gate_resize,
    gate_resume,
)
from queueing.admission.services.healing import (
    apply_all_settings,
    bring_to_redis,
    watch_gates,
)
from queueing.admission.services.loading import open_windows
from queueing.admission.services.permits import permit_free
from queueing.admission.services.rebuilding import gate_check
from queueing.admission.services.reconciling import gate_reconcile
from queueing.admission.services.sampling import sample_take
from queueing.admission.services.signing import (
    gate_key_change,
    gate_key_new,
    gate_key_remove,
    gate_key_use,
)

__all__ = [
    "Uploaded",
    "apply_all_settings",
    "batch_cancel",
    "batch_catch_up",
    "batch_create",
    "batch_extend",
    "batch_pause",
    "batch_resume",
    "bring_to_redis",
    "gate_check",
    "gate_configure",
    "gate_create",
    "gate_delete",
    "gate_key_change",
    "gate_key_new",
    "gate_key_remove",
    "gate_key_use",
    "gate_open_early",
    "gate_pause",
    "gate_pin",
    "gate_reconcile",
    "gate_resize",
    "gate_resume",
    "open_windows",
    "permit_free",
    "sample_take",
    "watch_gates",
]
