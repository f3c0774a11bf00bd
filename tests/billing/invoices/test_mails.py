"""Documents are queued for the billing contact with the change; a sweep sends and retries them."""

from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.utils import timezone

from billing.models import InvoiceMail, Wallet
from billing.services import invoices
from billing.services.invoices_credit import credit_approve, credit_ask
from billing.services.invoices_mail import send_due
from billing.services.tax_profiles import profile_set
from poolsite.access.models import Account, User
from poolsite.operations.models import OutgoingCall, WebhookEvent
from poolsite.operations.webhooks.services import endpoint_create
from tests.billing.invoices.invoice_books import charges, issued, later, month
from tests.support.pdf_text import text_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
PROFILE = {"legal_name": "Acme Ltd", "address": "1 Lake Road", "country": "CN"}


@pytest.fixture(autouse=True)
def contact(wallet: Wallet) -> None:
    profile_set(wallet, actor="test", email="bills@acme.example", **PROFILE)


def test_an_invoice_is_sent_once_with_its_document(wallet: Wallet) -> None:
    invoice = issued(wallet)
    assert mail.outbox == []
    assert send_due() == {"sent": 1, "failed": 0}
    assert send_due() == {"sent": 0, "failed": 0}
    (message,) = mail.outbox
    assert message.to == ["bills@acme.example"]
    assert invoice.number in message.subject
    assert "nothing to pay" in message.body
    assert "¥3.2908" in message.body
    ((name, document, kind),) = message.attachments
    assert (name, kind) == (f"{invoice.number}.pdf", "application/pdf")
    assert invoice.number in text_of(document)
    call = OutgoingCall.objects.get()
    assert (call.purpose, call.account) == ("invoice.issued", wallet.account)


def test_a_mail_server_that_is_away_gets_it_later(
    wallet: Wallet, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_given: Any, **_more: Any) -> int:
        raise OSError("away")

    issued(wallet)
    monkeypatch.setattr(EmailMessage, "send", refuse)
    assert send_due() == {"sent": 0, "failed": 1}
    assert send_due() == {"sent": 0, "failed": 0}  # the document waits
    monkeypatch.undo()
    InvoiceMail.objects.update(next_at=timezone.now() - timedelta(seconds=1))
    assert send_due() == {"sent": 1, "failed": 0}
    (row,) = InvoiceMail.objects.all()
    assert (row.state, row.attempts) == ("sent", 2)


def test_an_invoice_that_rolls_back_is_not_sent(
    wallet: Wallet, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_given: Any) -> None:
        raise RuntimeError("after everything was written")

    charges(wallet)
    later(wallet)
    monkeypatch.setattr(invoices.invoices_mail, "queue", fail)
    with pytest.raises(RuntimeError):
        invoices.invoice_issue(wallet, month(wallet), actor="test")
    assert not InvoiceMail.objects.exists()
    monkeypatch.undo()
    assert issued(wallet).serial == 1


def test_a_credit_note_is_sent_in_the_account_s_language(
    wallet: Wallet, olga: User, omar: User
) -> None:
    Account.objects.update(locale="zh-hans")
    note = credit_approve(credit_ask(issued(wallet), actor=olga, reason="名称有误"), actor=omar)
    assert send_due() == {"sent": 2, "failed": 0}
    message = mail.outbox[1]
    assert note.number in message.subject
    assert "红字发票" in message.subject
    assert "名称有误" in message.body
    assert note.number in text_of(message.attachments[0][1])


def test_without_a_contact_nobody_is_written_to(wallet: Wallet) -> None:
    profile_set(wallet, actor="test", email="", **PROFILE)
    issued(wallet)
    assert not InvoiceMail.objects.exists()


def test_webhooks_tell_of_both(wallet: Wallet, olga: User, omar: User) -> None:
    endpoint_create(
        actor="test",
        account=wallet.account,
        name="Books",
        url="https://books.example/hooks",
        events=["invoice.issued", "invoice.credited"],
    )
    invoice = issued(wallet)
    note = credit_approve(credit_ask(invoice, actor=olga, reason="wrong name"), actor=omar)
    events = {event.type: event for event in WebhookEvent.objects.all()}
    told = events["invoice.issued"].data
    assert (told["invoice"], told["month"], told["currency"]) == (invoice.number, "2026-01", "CNY")
    assert events["invoice.issued"].path == f"/accounts/acme/invoices/{invoice.pk}/"
    credited = events["invoice.credited"].data
    assert (credited["credit_note"], credited["reason"]) == (note.number, "wrong name")
