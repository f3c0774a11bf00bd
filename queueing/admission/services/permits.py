"""Ends a permit early, for an operator."""

from django.db import transaction
from django.utils.translation import gettext as _

from poolsite import access, hotpath
from poolsite.access.services.actor import Actor, clean_reason, require
from queueing.admission import gate as commands
from queueing.admission.errors import AdmissionError
from queueing.admission.models import Gate
from queueing.admission.services.common import redis_refusals


def permit_free(
    *, actor: Actor, gate: Gate, holder: str, token: int, reason: str
) -> commands.Ended:
    """Free the slot of a holder (a name, `@device`, `#token`). A device's task is pending again.

    `token` identifies the permit that the operator saw: one that was granted since stays valid. A
    reason is required because the holder may still use the external system. Raise AdmissionError if
    the permit is not held.
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
        ended = hotpath.run(commands.free(gate.slug, holder, token, reason))
    if not ended.done:
        text = _("%(holder)s no longer has this permit.")
        raise AdmissionError("not-held", text % {"holder": holder[:64]})
    return ended
