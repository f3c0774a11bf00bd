"""A test permit: a user takes and returns it, as a device does."""

from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from poolsite import access, hotpath
from poolsite.access.models import AuditEntry
from poolsite.access.services.actor import Actor, require
from queueing.admission import gate as commands
from queueing.admission.errors import AdmissionError
from queueing.admission.models import Gate
from queueing.admission.services.common import redis_refusals

ACTION = "admission.test_permit"
NAME = "test-permit"  # the prefix of its holder's name


def trial_permit(*, actor: Actor, gate: Gate, token: UUID) -> AuditEntry:
    """Take a permit and return it. The audit entry has the gate's replies.

    The same token again returns the first entry. Raise AdmissionError if no slot is free or the
    gate refuses; then neither a permit nor a place in line is left.
    """
    require(actor, "admission.operate", gate)
    holder = f"{NAME}-{token.hex[:12]}"
    made = trial_permits(gate).filter(after__holder=holder).first()
    if made is not None:
        return made
    with redis_refusals():
        permit = hotpath.run(commands.acquire(gate.slug, holder))
        if not permit.granted:
            hotpath.run(commands.leave(gate.slug, holder, None, permit.now_us))
            raise AdmissionError("gate-refused", _("All slots are in use. Try again in a moment."))
        ended = hotpath.run(commands.release(gate.slug, holder, permit.token))
    with transaction.atomic():
        return access.audit(
            actor=actor,
            action="admission.test_permit",
            thing=gate,
            after={
                "holder": holder,
                "token": permit.token,
                "seconds": round((permit.deadline_us - permit.now_us) / 1e6),
                "returned": ended.done,
            },
        )


def trial_permits(gate: Gate) -> QuerySet[AuditEntry]:
    """Return the entries of the gate's test permits, newest first."""
    return AuditEntry.objects.filter(thing_kind="gate", thing_id=gate.slug, action=ACTION)
