"""The audit compares invoices with the journal and with themselves, and counts their numbers."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.models import F

from billing.models import (
    CreditNote,
    Invoice,
    InvoiceLine,
    InvoiceSeries,
    InvoiceTax,
    JournalEntry,
    Wallet,
)
from billing.persistence.invoices import unlike_numbers, unlike_of
from billing.services.auditing import audit_some
from billing.services.invoices import invoice_issue
from billing.services.invoices_credit import credit_approve, credit_ask
from poolsite.access.models import User
from poolsite.operations.models import Incident
from tests.billing.invoices.invoice_books import charges, issued, later, month

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
TRIGGERS = import_module("billing.migrations.0007_invoices")


@contextmanager
def tampering() -> Iterator[None]:
    """Allow changes as by an attacker who can write to the database itself."""
    with connection.cursor() as cursor:
        for statement in TRIGGERS.DROP[connection.vendor]:
            cursor.execute(statement)
        yield
        for statement in TRIGGERS.CREATE[connection.vendor]:
            cursor.execute(statement)


def found(wallet: Wallet, *, whole: bool = True) -> list[str]:
    return [str(each) for each in unlike_of([wallet], whole=whole)]


def test_what_was_issued_is_proven(wallet: Wallet, olga: User, omar: User) -> None:
    credit_approve(credit_ask(issued(wallet), actor=olga, reason="x"), actor=omar)
    invoice_issue(wallet, month(wallet), actor="test")
    assert found(wallet) == found(wallet, whole=False) == []
    assert unlike_numbers() == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"amount": F("amount") + 1, "net": F("net") + 1}, "invoice line = journal"),
        ({"quantity": 9}, "quantity of the line = entries"),
        ({"tax": F("tax") + 1, "net": F("net") - 1}, "tax of the line = its share"),
        ({"chatbot_name": "Another"}, "digest = content"),
    ],
)
def test_a_tampered_line_is_named(wallet: Wallet, change: dict[str, object], words: str) -> None:
    invoice = issued(wallet)
    with tampering():
        InvoiceLine.objects.filter(position=2).update(**change)
    (told,) = found(wallet)
    assert told.startswith(f"acme: {words}")
    assert invoice.number in told
    assert found(wallet, whole=False) == [told]


def test_a_missing_line_an_added_one_and_other_totals_are_named(wallet: Wallet) -> None:
    invoice = issued(wallet)
    with tampering():
        line = InvoiceLine.objects.get(position=3)
        InvoiceLine.objects.filter(pk=line.pk).delete()
    assert "video shop is missing" in found(wallet)[0]
    line.save(force_insert=True)
    assert found(wallet) == []
    line.pk, line.position, line.mode = None, 9, "native_card"
    line.save(force_insert=True)
    assert f"{invoice.number}, line 9" in found(wallet)[0]


@pytest.mark.parametrize(
    ("model", "change", "words"),
    [
        (Invoice, {"paid": F("paid") - 1}, "paid from the balance = journal"),
        (Invoice, {"total": F("total") + 1, "net": F("net") + 1}, "paid from the balance"),
        (Invoice, {"customer": {"name": "Another"}}, "digest = content"),
        (Invoice, {"number": "PS-1999-000001"}, "number = its sequence"),
        (InvoiceTax, {"tax": F("tax") + 1}, "tax line = its lines"),
    ],
)
def test_other_figures_and_words_are_named(
    wallet: Wallet, model: type[Invoice], change: dict[str, object], words: str
) -> None:
    issued(wallet)
    with tampering():
        model.objects.update(**change)
    assert words in found(wallet)[0]


def test_a_journal_that_says_something_else_is_named(wallet: Wallet) -> None:
    issued(wallet)
    JournalEntry.objects.filter(mode="video").update(mode="native_card")
    assert "invoice line = journal: 14507 instead of 0" in found(wallet)[0]


# -- numbers --------------------------------------------------------------------------------------


def three(wallet: Wallet) -> list[Invoice]:
    found = [issued(wallet)]
    for number in (2, 3):
        charges(wallet, 2026, number)
        later(wallet)
        found.append(invoice_issue(wallet, month(wallet, f"2026-0{number}"), actor="test"))
    return found


def test_numbers_follow_each_other(wallet: Wallet) -> None:
    assert [made.serial for made in three(wallet)] == [1, 2, 3]
    assert unlike_numbers() == []


def test_a_gap_is_named(wallet: Wallet) -> None:
    second = three(wallet)[1]
    with tampering():
        InvoiceLine.objects.filter(invoice=second).delete()
        InvoiceTax.objects.filter(invoice=second).delete()
        Invoice.objects.filter(pk=second.pk).delete()
    (told,) = map(str, unlike_numbers())
    law = f"PS-{second.year}: numbers without a gap: 2 instead of 3"
    assert told == f"{law}; first: {second.number} is missing"


def test_a_number_past_the_last_and_a_lost_sequence_are_named(wallet: Wallet) -> None:
    third = three(wallet)[2]
    InvoiceSeries.objects.update(last=2)
    (told,) = map(str, unlike_numbers())
    assert f"{third.number} is past the last number" in told
    InvoiceSeries.objects.all().delete()
    assert [each.entry for each in unlike_numbers()][2] == f"{third.number} has no sequence"


def test_credit_notes_have_a_sequence_of_their_own(wallet: Wallet, olga: User, omar: User) -> None:
    credit_approve(credit_ask(issued(wallet), actor=olga, reason="x"), actor=omar)
    with tampering():
        CreditNote.objects.all().delete()
    (told,) = map(str, unlike_numbers())
    assert told.startswith("PS-CN-")


def test_the_command_and_the_background_audit_say_so(
    wallet: Wallet, capsys: pytest.CaptureFixture[str]
) -> None:
    three(wallet)
    InvoiceSeries.objects.update(last=4)
    with pytest.raises(SystemExit):
        call_command("audit")
    assert "numbers without a gap: 3 instead of 4" in capsys.readouterr().out
    audit_some(5, 0)
    audit_some(5, 0)
    incident = Incident.objects.get(type="billing.invoice_numbers")
    InvoiceSeries.objects.update(last=3)
    audit_some(5, 0)
    audit_some(5, 0)
    incident.refresh_from_db()
    assert incident.until is not None
