"""Credit notes: an invoice cancelled as a whole, with a reason; above the limit with four eyes.

No money moves: an adjustment corrects the balance. The month may get a new invoice.
"""

from datetime import timedelta
from typing import Final

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from billing import webhook_events
from billing.models import CreditNote, Invoice, InvoiceSeries
from billing.services import invoices_mail
from billing.services.acting import clean_line, wrong_state
from billing.services.adjustments import operator_of
from billing.services.invoices import lock_invoices, next_number
from billing.services.tax_profiles import seller_of
from poolsite import access
from poolsite.access import four_eyes
from poolsite.access.models import User
from poolsite.access.services.actor import Actor, require

Status = CreditNote.Status
HOURS: Final = 24


def credit_ask(invoice: Invoice, *, actor: Actor, reason: str) -> CreditNote:
    """Cancel an invoice; if it needs no second person, the credit note is issued at once.

    While it waits, a repeated request returns the same one. Raise ValidationError if there is no
    reason or the invoice was credited already.
    """
    require(actor, "billing.finance", invoice.wallet)
    asker = operator_of(actor)
    reason = clean_line(reason, needed=True)
    with transaction.atomic():
        lock_invoices(invoice.wallet)
        found = CreditNote.objects.filter(invoice=invoice).exclude(status=Status.REJECTED).first()
        if found is not None and found.status == Status.ISSUED:
            raise wrong_state(_("This invoice was already credited."))
        if found is not None:
            return found
        note = CreditNote.objects.create(invoice=invoice, reason=reason, asked_by=asker)
        _audit(actor, "billing.credit_ask", note, reason)
        if not needs_second(invoice, asker):
            credit_issue(note, actor)
    return note


def needs_second(invoice: Invoice, asker: User) -> bool:
    """Whether another operator must approve: above the limit, alone or with the day's others.

    Credit notes of the last 24 hours for the account count too if they were issued alone by this
    person, or by people who are not independent of them, as for adjustments.
    """
    limit: int = settings.BILLING_FOUR_EYES_ABOVE
    since = timezone.now() - timedelta(hours=HOURS)
    alone = CreditNote.objects.filter(
        invoice__wallet=invoice.wallet,
        asked_at__gte=since,
        status=Status.ISSUED,
        decided_by=None,
    ).select_related("invoice", "asked_by")
    before = sum(
        note.invoice.total
        for note in alone
        if note.asked_by == asker or four_eyes.dependence(note.asked_by, asker)
    )
    return not limit or invoice.total + before > limit


def credit_approve(note: CreditNote, *, actor: Actor, reason: str = "") -> CreditNote:
    """Approve as the second operator; the credit note is issued in the same transaction.

    Raise ValidationError if it is the operator's own request, if it was decided already, if the
    requester no longer has the right, or if the two operators are not independent
    (`access.four_eyes`).
    """
    require(actor, "billing.finance", note.invoice.wallet)
    decider = operator_of(actor)
    with transaction.atomic():
        note = _waiting(note)
        if why := why_not_approve(note, decider):
            raise ValidationError(why)
        note.decided_by = decider
        note.decision_reason = clean_line(reason)
        credit_issue(note, actor)
    return note


def why_not_approve(note: CreditNote, decider: User) -> str:
    """Return why this operator may not approve a waiting credit note, as text; "" if they may."""
    asker = note.asked_by
    if asker.pk == decider.pk:
        return _("Someone else must approve your request.")
    if not four_eyes.may_finance(asker):
        return _("The requester no longer has this right. Reject the request.")
    return four_eyes.why_dependent(decider, asker)


def credit_reject(note: CreditNote, *, actor: Actor, reason: str) -> CreditNote:
    """Reject as another operator, or withdraw as the requester. The invoice stays valid."""
    require(actor, "billing.finance", note.invoice.wallet)
    decider = operator_of(actor)
    reason = clean_line(reason, needed=True)
    with transaction.atomic():
        note = _waiting(note)
        note.decided_by = None if note.asked_by_id == decider.pk else decider
        note.decided_at = timezone.now()
        note.decision_reason = reason
        note.status = Status.REJECTED
        note.save()
        _audit(actor, "billing.credit_reject", note, reason)
    return note


def _waiting(note: CreditNote) -> CreditNote:
    """Return the row, with the wallet's invoices locked.

    Raise ValidationError if it no longer waits for a decision.
    """
    lock_invoices(note.invoice.wallet)
    rows = CreditNote.objects.select_related("invoice__wallet__account", "asked_by")
    found = rows.get(pk=note.pk)
    if found.status != Status.WAITING:
        raise wrong_state(_("A decision was already made: %s.") % found.get_status_display())
    return found


def credit_issue(note: CreditNote, actor: Actor) -> None:
    """Number the note and announce it, in the caller's transaction; then it never changes."""
    seller = seller_of()
    if seller is None:
        raise ValidationError(_("Enter the seller first."))
    series, now, day = next_number(seller, InvoiceSeries.Kind.CREDIT_NOTE)
    note.number, note.prefix = str(series), series.prefix
    note.year, note.serial = series.year, series.last
    note.issued_at, note.issued_on, note.decided_at = now, day, now
    note.status = Status.ISSUED
    note.save()
    _audit(actor, "billing.credit_issue", note, note.reason)
    webhook_events.invoice_credited(note)
    invoices_mail.queue(note.invoice, note)


def _audit(actor: Actor, action: str, note: CreditNote, reason: str) -> None:
    access.audit(
        actor=actor,
        action=action,
        thing=note.invoice.wallet,
        after={
            "invoice": note.invoice.number,
            "number": note.number,
            "total": note.invoice.total,
            "status": note.status,
            "asked_by": note.asked_by.get_username(),
        },
        reason=reason,
    )
