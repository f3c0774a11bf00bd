"""What the gates' Django routes share."""

from typing import Any

from poolsite import access
from poolsite.access import Principal
from poolsite.api.paths import id_of, slug_in_path
from poolsite.api.root import ProblemError
from poolsite.console.setting_options import values_of
from queueing.admission import gate as commands
from queueing.admission import selectors
from queueing.admission.api.answers import kind_of
from queueing.admission.models import Gate, TaskBatch
from queueing.admission.selectors import GateNow
from queueing.admission.services.gates import SETTINGS

Slug = slug_in_path("The gate's slug.")


def gate_of(principal: Principal, slug: str) -> Gate:
    """Return the gate with this slug. Raise ProblemError if the principal may not see it."""
    try:
        return selectors.GATES.get(principal, slug)
    except access.Hidden:
        raise ProblemError("unknown-gate") from None


def batch_of(principal: Principal, slug: str, key: int) -> TaskBatch:
    """Return a batch of the gate with this slug. Raise ProblemError if there is none."""
    gate = gate_of(principal, slug)
    batch = TaskBatch.objects.select_related("gate").filter(gate=gate, pk=id_of(key)).first()
    if batch is None:
        raise ProblemError("unknown-batch")
    return batch


def told(now: GateNow) -> dict[str, Any]:
    """Return a gate as the API shows it."""
    return {**values_of(now.gate, SETTINGS), **selectors.gate_out(now)}


def told_after(gate: Gate) -> dict[str, Any]:
    """Return a gate that was just changed in SQL, whether or not Redis answers now."""
    return told(selectors.GATES.with_figures([gate], patient=True)[0])


def is_rebuilt(error: commands.GateRefusedError) -> bool:
    """Return whether Redis lost the gate, which the gate's own route shows.

    Raise ProblemError for any other refusal.
    """
    if error.reason == commands.reasons.NO_SUCH_GATE:
        return True
    raise ProblemError(kind_of(error), error.reason) from None
