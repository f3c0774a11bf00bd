"""Cancelling a cash refund that the balance no longer covers: nothing is paid out."""

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from billing.models import Adjustment, MoneyOrder
from billing.services import outbox
from billing.services.acting import clean_line, wrong_state
from billing.services.adjustments import TOPIC, close_request, note, operator_of
from poolsite import live
from poolsite.access.services.actor import Actor, name_of, require


def adjustment_give_up(adjustment: Adjustment, *, actor: Actor, reason: str) -> Adjustment:
    """Cancel an approved cash refund that was not paid out, and decline the customer's request.

    No money moves, so one operator is enough, as for a rejection. Raise ValidationError if it was
    paid out, is no cash refund, was not approved, has no reason, or if Redis cannot be read.
    """
    require(actor, "billing.finance", adjustment)
    operator_of(actor)
    reason = clean_line(reason, needed=True)
    with transaction.atomic():
        rows = Adjustment.objects.select_for_update(of=("self",))
        found = rows.select_related("wallet__account", "asked_by").get(pk=adjustment.pk)
        if found.kind != MoneyOrder.Kind.CASH_REFUND:
            raise ValidationError(_("Only cash refunds can be cancelled."))
        if found.status != Adjustment.Status.APPLIED:
            raise wrong_state(
                _("This refund can't be cancelled. Its status is: %s.") % found.get_status_display()
            )
        if not outbox.give_up(found.wallet, found.operation_id):
            raise wrong_state(_("This refund was already paid out."))
        found.status = Adjustment.Status.CANCELLED
        found.decision_reason = reason
        found.save(update_fields=["status", "decision_reason"])
        close_request(found, name_of(actor), reason)
        note(actor, "billing.adjustment_give_up", found, reason)
        live.touch(TOPIC)
    return found
