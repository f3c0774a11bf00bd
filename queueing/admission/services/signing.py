"""A gate's signing keys: made, put into use, removed. The key itself is in no audit entry."""

from django.db import transaction
from django.utils.translation import gettext as _

from poolsite.access.services.actor import Actor, clean_reason, require
from poolsite.access.services.aggregates import Act
from poolsite.operations.models import new_secret
from queueing.admission.errors import AdmissionError
from queueing.admission.models import Gate
from queueing.admission.services.common import locked


def gate_key_new(*, actor: Actor, gate: Gate, reason: str = "") -> str:
    """Make a signing key and return it (hexadecimal); it is shown this one time.

    The first one signs at once. A later one signs once `gate_key_use` is called, so that external
    systems can be given it before; one that was made meanwhile is replaced.
    """
    key = new_secret()
    with transaction.atomic():
        gate, act = _begin(actor, gate, "admission.gate_key_new", reason)
        before = gate.signing_prints
        gate.previous_signing_key, gate.signing_key = gate.signs_with, key
        _save(gate, act, before)
    return key


def gate_key_use(*, actor: Actor, gate: Gate, reason: str = "") -> Gate:
    """Sign with the newest key and forget the previous one. AdmissionError without a newer one."""
    with transaction.atomic():
        gate, act = _begin(actor, gate, "admission.gate_key_use", reason)
        if not gate.previous_signing_key:
            raise AdmissionError(
                "gate-refused", _("There is no new signing key. Create one first.")
            )
        before = gate.signing_prints
        gate.previous_signing_key = ""
        _save(gate, act, before)
    return gate


def gate_key_remove(*, actor: Actor, gate: Gate, reason: str) -> Gate:
    """Forget both keys: permits are no longer signed."""
    with transaction.atomic():
        gate, act = _begin(actor, gate, "admission.gate_key_remove", reason, needed=True)
        before = gate.signing_prints
        if any(before.values()):
            gate.signing_key = gate.previous_signing_key = ""
            _save(gate, act, before)
    return gate


def gate_key_change(do: str, *, actor: Actor, gate: Gate, reason: str) -> str:
    """Do what a face was asked for (`new`, `use`, `remove`); returns a new key, else ""."""
    if do == "new":
        return gate_key_new(actor=actor, gate=gate, reason=reason)
    change = gate_key_use if do == "use" else gate_key_remove
    change(actor=actor, gate=gate, reason=reason)
    return ""


def _begin(
    actor: Actor, gate: Gate, action: str, reason: str, *, needed: bool = False
) -> tuple[Gate, Act]:
    require(actor, "admission.operate", gate)
    act = Act(actor, action, clean_reason(reason, needed=needed))
    return locked(gate), act


def _save(gate: Gate, act: Act, before: dict[str, str]) -> None:
    gate.save(update_fields=["signing_key", "previous_signing_key"])
    act.write(gate, {"signing_key": before}, {"signing_key": gate.signing_prints})
