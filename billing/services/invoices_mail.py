"""Emails with documents: a row in the document's transaction; a sweep sends and retries them."""

from datetime import timedelta
from functools import partial
from typing import Final

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import override

from billing.invoicing.document import credit_note_document, invoice_document
from billing.models import CreditNote, Invoice, InvoiceMail, TaxProfile
from billing.presentation import amount as in_words
from poolsite.operations import outgoing
from poolsite.operations.models import OutgoingCall
from poolsite.operations.retrying import next_wait

SENT_AT_ONCE: Final = 50
HOLD_SECONDS: Final = 120  # after this, another sender may take the email of one that died


def queue(invoice: Invoice, note: CreditNote | None = None) -> None:
    """Queue an email with a document to the account's billing contact, if it has one.

    The row is written in the document's transaction.
    """
    profile = TaxProfile.objects.filter(account=invoice.wallet.account_id).first()
    if profile is None or not profile.email:
        return
    InvoiceMail.objects.create(
        invoice=invoice, credit_note=note, address=profile.email, next_at=timezone.now()
    )


def send_due() -> dict[str, int]:
    """Send the emails that are due. A failed email is retried for a day; each attempt is logged.

    If a sender died before it recorded the sending, the email is sent once more with the same
    Message-ID.
    """
    done = {"sent": 0, "failed": 0}
    now = timezone.now()
    due = InvoiceMail.objects.filter(state=InvoiceMail.State.PENDING, next_at__lte=now)
    due = due.select_related("invoice__wallet__account", "credit_note__invoice")
    for mail in due.order_by("next_at")[:SENT_AT_ONCE]:
        if not _claim(mail):
            continue
        outcome = outgoing.timed(partial(_send, mail))
        _note(mail, outcome)
        done["sent" if outcome.ok else "failed"] += 1
    return done


def _send(mail: InvoiceMail) -> None:
    message_of(mail).send(fail_silently=False)


def message_of(mail: InvoiceMail) -> EmailMessage:
    """Return the email in the account's language, with the document attached."""
    invoice, note = mail.invoice, mail.credit_note
    account = invoice.wallet.account
    page = reverse("billing:invoice", args=[account.slug, invoice.pk])
    number = note.number if note else invoice.number
    with override(account.locale or settings.LANGUAGE_CODE):
        shown = {
            "account": account,
            "invoice": invoice,
            "note": note,
            "number": number,
            "amount": in_words(invoice.total, invoice.currency),
            "paid": in_words(invoice.paid, invoice.currency),
            "due": in_words(invoice.due, invoice.currency),
            "link": outgoing.absolute(page),
            "platform_name": settings.PLATFORM_NAME,
        }
        subject = render_to_string("billing/mail/invoice_subject.txt", shown)
        body = render_to_string("billing/mail/invoice.txt", shown)
        document = credit_note_document(note) if note else invoice_document(invoice)
    message = EmailMessage(
        " ".join(subject.split()),
        body,
        to=[mail.address],
        headers={"Message-ID": _message_id(mail), "Auto-Submitted": "auto-generated"},
    )
    message.attach(f"{number}.pdf", document, "application/pdf")
    return message


def _message_id(mail: InvoiceMail) -> str:
    name = salted_hmac("billing.invoice.mail", str(mail.pk), algorithm="sha256").hexdigest()[:32]
    domain = settings.DEFAULT_FROM_EMAIL.rpartition("@")[2].rstrip(">") or "localhost"
    return f"<invoice.{name}@{domain}>"


def _claim(mail: InvoiceMail) -> bool:
    """Claim an email for a while, so that only one of several sweeps sends it."""
    held_until = timezone.now() + timedelta(seconds=HOLD_SECONDS)
    mine = InvoiceMail.objects.filter(
        pk=mail.pk, state=InvoiceMail.State.PENDING, next_at=mail.next_at
    )
    return bool(mine.update(next_at=held_until))  # unaudited: a sender's hold


def _note(mail: InvoiceMail, outcome: outgoing.DeliveryOutcome) -> None:
    mail.attempts += 1
    if outcome.ok:
        mail.state = InvoiceMail.State.SENT
    elif (wait := next_wait(mail.attempts)) is None:
        mail.state = InvoiceMail.State.FAILED
    else:
        mail.next_at = timezone.now() + wait
    with transaction.atomic():
        names = ["attempts", "state", "next_at"] if not outcome.ok else ["attempts", "state"]
        mail.save(update_fields=names)
        OutgoingCall.objects.create(
            purpose="invoice.credited" if mail.credit_note_id else "invoice.issued",
            address=mail.address,
            account_id=mail.invoice.wallet.account_id,
            status=outcome.status,
            error=outcome.error[:300],
            answer=outcome.answer[:500],
            duration_ms=outcome.duration_ms,
        )
