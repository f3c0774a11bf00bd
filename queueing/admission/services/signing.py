"""A gate's signing keys: create, use, remove. No audit entry contains a key."""

from django.db import transaction
from django.utils.translation import gettext as _

from poolsite.access.services.actor import Actor, clean_reason, require
from poolsite.access.services.aggregates import Act
from poolsite.operations.models import new_secret
from queueing.admission.errors import AdmissionError
from queueing.admission.models import Gate
from queueing.admission.services.common import locked


def gate_key_new(*, actor: Actor, gate: Gate, reason: str = "") -> str:
    """Create a signing key and return it (hexadecimal). It is shown only once.

    The first key signs at once. A later key signs after `gate_key_use`, so that external systems
    can be given it first. An unused key that was created before is replaced.
    """
    key = new_secret()
    with transaction.atomic():
        gate, act = _begin(actor, gate, "admission.gate_key_new", reason)
        before = gate.signing_prints
        gate.previous_signing_key, gate.signing_key = gate.signs_with, key
        _save(gate, act, before)
    return key


def gate_key_use(*, actor: Actor, gate: Gate, reason: str = "") -> Gate:
    """Sign with the newest key and delete the previous one. Raise AdmissionError if none is new."""
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
    """Delete both keys. Permits are no longer signed."""
    with transaction.atomic():
        gate, act = _begin(actor, gate, "admission.gate_key_remove", reason, needed=True)
        before = gate.signing_prints
        if any(before.values()):
            gate.signing_key = gate.previous_signing_key = ""
            _save(gate, act, before)
    return gate


def gate_key_change(do: str, *, actor: Actor, gate: Gate, reason: str) -> str:
    """Run `new`, `use` or `remove`, for pages, API and commands. Return a new key, else ""."""
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
