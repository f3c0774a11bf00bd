"""Closing a flagged report: the loss is accepted, or it is charged by hand with four eyes."""

from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from billing.models import Adjustment, FlaggedReport, Message, MoneyOrder
from billing.models.messages import State
from billing.services.acting import clean_line, wrong_state
from billing.services.adjustments import adjustment_ask
from poolsite import access, live
from poolsite.access.services.actor import Actor, name_of, require

TOPIC = "billing.flagged:all"


def flagged_accept(report: FlaggedReport, *, actor: Actor, reason: str) -> FlaggedReport:
    """Close a report without moving money.

    Raise ValidationError if there is no reason, it is closed, or a charge waits for approval.
    """
    require(actor, "billing.finance", report)
    reason = clean_line(reason, needed=True)
    with transaction.atomic():
        report = _open_report(report)
        report.closed_at = timezone.now()
        report.closing = FlaggedReport.Closing.ACCEPTED
        report.closed_by = name_of(actor)
        report.closing_reason = reason
        report.save()
        access.audit(
            actor=actor,
            action="billing.flagged_accept",
            thing=report.wallet,
            after={"message": report.message_id, "flag": report.flag, "loss": report.difference},
            reason=reason,
        )
        live.touch(TOPIC)
    return report


def flagged_charge(
    report: FlaggedReport, *, actor: Actor, amount: int, reason: str, token: UUID
) -> Adjustment:
    """Request a charge by hand; another operator's approval charges it and closes the report.

    Raise ValidationError if the report is closed, if a charge waits for approval, or if the message
    is an unpaid session message: the same request of its sender may still charge it.
    """
    require(actor, "billing.finance", report)
    with transaction.atomic():
        again = Adjustment.objects.filter(operation_id=f"adjust:{token}").exists()
        if not again:
            report = _open_report(report)
            _check_not_waiting(report)
        return adjustment_ask(
            report.wallet,
            actor=actor,
            kind=MoneyOrder.Kind.CHARGE_BY_HAND,
            amount=amount,
            reason=reason,
            token=token,
            reference=report.message_id,
            flagged_report=report,
        )


def _open_report(report: FlaggedReport) -> FlaggedReport:
    """Lock and return the row. Raise ValidationError if it is closed or a charge waits."""
    rows = FlaggedReport.objects.select_for_update(of=("self",)).select_related("wallet__account")
    found = rows.get(pk=report.pk)
    if found.closed_at is not None:
        raise wrong_state(_("This report is already closed."))
    if found.adjustments.filter(status=Adjustment.Status.WAITING).exists():
        raise wrong_state(_("A manual charge is waiting for approval."))
    return found


def _check_not_waiting(report: FlaggedReport) -> None:
    message = Message.objects.filter(wallet=report.wallet_id, message_id=report.message_id)
    if message.filter(state=State.UNPAID).exists():
        raise wrong_state(
            _("This message is charged when it is sent again. Charge it here after it has expired.")
        )
