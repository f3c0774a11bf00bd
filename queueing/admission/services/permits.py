"""An operator ends a permit before its time."""

from django.db import transaction

from poolsite import access, hotpath
from poolsite.access.services.actor import Actor, clean_reason, require
from queueing.admission import gate as door
from queueing.admission.errors import AdmissionError
from queueing.admission.models import Gate
from queueing.admission.services.common import redis_refusals


def permit_free(*, actor: Actor, gate: Gate, holder: str, token: int, reason: str) -> door.Ended:
    """Free the slot of a holder (a name, `@device`, `#token`); a device's task goes back.

    `token` names the permit that was looked at: one that was granted since stays. The holder
    may still be on the external system: hence the reason. AdmissionError when it is not held.
    """
    require(actor, "admission.operate", gate)
    reason = clean_reason(reason, needed=True)
    with transaction.atomic():
        access.audit(
            actor=actor,
            action="admission.permit_free",
            thing=gate,
            label=holder[:64],
            before={"holder": holder[:64], "token": token},
            reason=reason,
        )
    with redis_refusals():
        ended = hotpath.run(door.free(gate.slug, holder, token, reason))
    if not ended.done:
        raise AdmissionError("not-held", f"{holder[:64]}: {ended.reason}")
    return ended
