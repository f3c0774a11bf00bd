"""Credit notes cancel a whole invoice, by two people above the limit, with a separate number."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from billing.models import CreditNote, Invoice, Wallet
from billing.services import invoices_credit as crediting
from billing.services.invoices import invoice_issue
from poolsite import access
from poolsite.access.models import AuditEntry, Grant, User
from tests.billing.invoices.invoice_books import charges, issued, later, month
from tests.billing.recharge.money_people import Payers, operator

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


def ask(invoice: Invoice, actor: User, reason: str = "wrong name") -> CreditNote:
    return crediting.credit_ask(invoice, actor=actor, reason=reason)


def test_a_credit_note_waits_for_another_operator(wallet: Wallet, olga: User, omar: User) -> None:
    invoice = issued(wallet)
    note = ask(invoice, olga)
    assert (note.status, note.number) == ("waiting", "")
    assert ask(invoice, olga).pk == note.pk
    with pytest.raises(ValidationError, match="Someone else must approve"):
        crediting.credit_approve(note, actor=olga)
    done = crediting.credit_approve(note, actor=omar)
    assert (done.status, done.number) == ("issued", f"PS-CN-{done.year}-000001")
    with pytest.raises(ValidationError, match="already credited"):
        ask(invoice, olga)
    with pytest.raises(ValidationError, match="A decision was already made"):
        crediting.credit_approve(note, actor=omar)
    actions = AuditEntry.objects.filter(action__startswith="billing.credit").order_by("pk")
    assert [(entry.action, entry.actor_name, entry.reason) for entry in actions] == [
        ("billing.credit_ask", "olga", "wrong name"),
        ("billing.credit_issue", "omar", "wrong name"),
    ]


def test_the_balance_stays_as_it_is(wallet: Wallet, olga: User, omar: User) -> None:
    invoice = issued(wallet)
    crediting.credit_approve(ask(invoice, olga), actor=omar)
    before = wallet.spendable
    wallet.refresh_from_db()
    assert wallet.spendable == before
    assert not wallet.orders.exists()


def test_a_rejected_or_withdrawn_request_takes_no_number(
    wallet: Wallet, olga: User, omar: User
) -> None:
    invoice = issued(wallet)
    for decider, other in ((omar, omar), (olga, None)):
        note = ask(invoice, olga)
        done = crediting.credit_reject(note, actor=decider, reason="it was right")
        assert (done.status, done.number, done.decided_by) == ("rejected", "", other)
    done = crediting.credit_approve(ask(invoice, olga), actor=omar)
    assert done.serial == 1


def test_below_the_limit_one_operator_is_enough_but_not_in_slices(
    wallet: Wallet, olga: User, omar: User, settings: Any
) -> None:
    invoice = issued(wallet)
    settings.BILLING_FOUR_EYES_ABOVE = invoice.total
    note = ask(invoice, olga)
    assert (note.status, note.decided_by) == ("issued", None)
    charges(wallet, 2026, 2)
    later(wallet)
    second = invoice_issue(wallet, month(wallet, "2026-02"), actor="test")
    assert crediting.needs_second(second, olga)
    assert not crediting.needs_second(second, omar)
    yesterday = timezone.now() - timedelta(hours=25)
    assert note.asked_at > yesterday
    settings.BILLING_FOUR_EYES_ABOVE = 2 * invoice.total
    assert ask(second, olga).status == "issued"


def test_only_finance_operators_credit_and_an_asker_must_still_be_one(
    people: Payers, olga: User, omar: User
) -> None:
    invoice = issued(people.wallet)
    for actor in (operator("looker"), operator("oz", "operate"), people.owner):
        with pytest.raises(access.Forbidden):
            ask(invoice, actor)
    note = ask(invoice, olga)
    with pytest.raises(access.Forbidden):
        crediting.credit_approve(note, actor=people.owner)
    Grant.objects.filter(user=olga, name="finance").delete()
    with pytest.raises(ValidationError, match="no longer"):
        crediting.credit_approve(note, actor=omar)


@pytest.mark.parametrize("reason", ["", "  ", "\n\t"])
def test_no_reason_no_credit_note(wallet: Wallet, olga: User, reason: str) -> None:
    with pytest.raises(ValidationError, match="reason"):
        ask(issued(wallet), olga, reason)
    assert not CreditNote.objects.exists()
