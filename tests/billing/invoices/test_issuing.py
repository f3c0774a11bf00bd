"""An invoice shows what the journal has, gets the next number, and never changes."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from billing.invoicing.taxes import included
from billing.models import (
    Chatbot,
    CreditNote,
    Invoice,
    InvoiceCursor,
    InvoiceLine,
    InvoiceSeries,
    InvoiceTax,
    JournalEntry,
    Seller,
    TaxRate,
    Wallet,
)
from billing.persistence.invoices import unlike_of
from billing.services import invoices, invoices_credit, tax_profiles
from billing.services.invoices_due import issue_due
from billing.services.wallets import wallet_open
from poolsite.access.models import Account, AuditEntry, User
from poolsite.access.services import account_change
from poolsite.moments import us_of
from poolsite.operations.models import Incident
from tests.billing.invoices.invoice_books import MONTH, charges, issued, later, month, set_up
from tests.billing.recharge.money_people import Payers, payers
from tests.billing.recharge.statement_books import at_us, charge, credit, put, top_up

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


def issue(wallet: Wallet, name: str = MONTH, actor: Any = "test") -> Invoice:
    return invoices.invoice_issue(wallet, month(wallet, name), actor=actor)


def test_lines_taxes_and_totals_are_those_of_the_month(wallet: Wallet) -> None:
    Chatbot.objects.create(account=wallet.account, slug="shop", name="Corner shop")
    total = charges(wallet)
    top_up(wallet, at_us(wallet, 2026, 1, 2), 90_000)
    credit(wallet, at_us(wallet, 2026, 1, 2), 5_000)
    charge(wallet, at_us(wallet, 2025, 12, 31, 23, 59), "video", 1)
    charge(wallet, at_us(wallet, 2026, 2, 1), "video", 2)
    later(wallet)
    made = issue(wallet)
    lines = [(each.mode, each.chatbot, each.quantity, each.amount) for each in made.lines.all()]
    assert lines == [
        ("native_text", "news", 1, 999),
        ("native_text", "shop", 2, 8_401),
        ("video", "shop", 1, 14_507),
        ("call", "", 1, 9_001),
    ]
    assert [each.chatbot_name for each in made.lines.all()] == [
        "",
        "Corner shop",
        "Corner shop",
        "",
    ]
    messages, calls = made.taxes.all()
    assert (messages.rate, messages.amount, messages.tax) == (600, 23_907, included(23_907, 600))
    assert (calls.rate, calls.amount, calls.tax) == (900, 9_001, included(9_001, 900))
    assert (made.total, made.paid, made.due) == (total, total, 0)
    assert made.tax == messages.tax + calls.tax
    assert made.net + made.tax == made.total
    assert (made.number, made.month, made.revision) == (
        f"PS-{made.year}-000001",
        date(2026, 1, 1),
        1,
    )
    assert made.customer == {"name": "Acme", "address": "", "country": "CN", "tax_id": ""}


def test_a_month_has_one_invoice_until_it_is_credited(
    wallet: Wallet, olga: User, omar: User
) -> None:
    first = issued(wallet)
    assert issue(wallet, actor=olga).pk == first.pk
    note = invoices_credit.credit_ask(first, actor=olga, reason="wrong name")
    assert issue(wallet).pk == first.pk
    invoices_credit.credit_approve(note, actor=omar)
    again = issue(wallet, actor=olga)
    assert (again.revision, again.serial, again.issued_by) == (2, 2, "olga")
    assert issue(wallet).pk == again.pk
    entries = AuditEntry.objects.filter(action="billing.invoice_issue").order_by("pk")
    assert [entry.after and entry.after["number"] for entry in entries] == [
        first.number,
        again.number,
    ]


def test_what_the_balance_did_not_cover_is_due(wallet: Wallet) -> None:
    top_up(wallet, at_us(wallet, 2026, 1, 2), 5_000)
    charge(wallet, at_us(wallet, 2026, 1, 5), "native_text", 4_000)
    at = at_us(wallet, 2026, 1, 6)
    put(wallet, at, "by_hand", spendable=-1_000, receivable=-2_000, revenue=3_000)
    later(wallet)
    made = issue(wallet)
    assert (made.total, made.paid, made.due) == (7_000, 5_000, 2_000)
    assert [(line.mode, line.amount) for line in made.lines.all()] == [
        ("native_text", 4_000),
        ("", 3_000),
    ]


def test_credit_in_use_is_due_once_and_what_open_holds_have_is_not(wallet: Wallet) -> None:
    top_up(wallet, at_us(wallet, 2026, 1, 2), 1_000)
    charge(wallet, at_us(wallet, 2026, 1, 5), "native_text", 4_000)
    put(wallet, at_us(wallet, 2026, 1, 28), "hold", spendable=-500, held=500)
    charge(wallet, at_us(wallet, 2026, 2, 5), "native_text", 2_000)
    top_up(wallet, at_us(wallet, 2026, 2, 9), 1_500)  # pays for January
    top_up(wallet, at_us(wallet, 2026, 3, 1), 9_000)  # too late for February's invoice
    later(wallet)
    first, second = issue(wallet), issue(wallet, "2026-02")
    assert (first.total, first.paid, first.due) == (4_000, 1_000, 3_000)
    assert (second.total, second.paid, second.due) == (2_000, 0, 2_000)
    assert [str(each) for each in unlike_of([wallet], whole=True)] == []


def test_what_is_not_complete_empty_or_without_a_rate_gets_no_number(people: Payers) -> None:
    wallet = people.wallet
    with pytest.raises(invoices.NothingChargedError):
        issue(wallet)
    charges(wallet)
    charges(wallet, 2030, 1)
    with pytest.raises(invoices.NotCompleteError):
        issue(wallet, "2030-01")
    TaxRate.objects.filter(kind="calls").delete()
    with pytest.raises(ValidationError, match="No tax rate for calls in CN"):
        issue(wallet)
    Seller.objects.all().delete()
    with pytest.raises(ValidationError, match="Enter the seller first"):
        issue(wallet)
    assert not Invoice.objects.exists()
    assert not InvoiceSeries.objects.exclude(last=0).exists()


def test_books_that_do_not_add_up_are_not_invoiced(
    wallet: Wallet, monkeypatch: pytest.MonkeyPatch
) -> None:
    charges(wallet)
    later(wallet)
    monkeypatch.setattr(invoices, "charges_of", lambda *_stretch: {("video", ""): (1, 7)})
    with pytest.raises(ValidationError, match="don't add up"):
        issue(wallet)


@pytest.mark.parametrize("treatment", ["exempt", "reverse_charge"])
def test_an_untaxed_customer_pays_the_same_without_tax(wallet: Wallet, treatment: str) -> None:
    told = {"legal_name": "Acme GmbH", "address": "Weg 1\n\nBerlin", "country": "DE"}
    tax_profiles.profile_set(wallet, actor="test", treatment=treatment, tax_id="DE1", **told)
    made = issued(wallet)
    assert (made.tax, made.net) == (0, made.total)
    assert [(tax.name, tax.rate) for tax in made.taxes.all()] == [("", 0)]
    assert made.customer["address"] == "Weg 1\nBerlin"


def test_the_rate_is_that_of_the_months_last_day(wallet: Wallet) -> None:
    tax_profiles.rate_create(
        actor="test",
        country="CN",
        kind="messages",
        name="VAT",
        rate=1_300,
        valid_from=date(2026, 1, 31),
    )
    assert issued(wallet).taxes.all()[0].rate == 1_300


TABLES = ("billing_invoice", "billing_invoiceline", "billing_invoicetax")


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("verb", ["UPDATE {} SET net = net", "DELETE FROM {}"])
def test_the_database_refuses_to_change_an_issued_invoice(
    wallet: Wallet, table: str, verb: str
) -> None:
    issued(wallet)
    with (
        pytest.raises(DatabaseError, match="never changes"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(verb.format(table))
    assert Invoice.objects.count() == 1


def test_an_issued_credit_note_is_as_fixed_as_an_invoice(
    wallet: Wallet, olga: User, omar: User
) -> None:
    note = invoices_credit.credit_ask(issued(wallet), actor=olga, reason="wrong name")
    CreditNote.objects.update(reason="while it waits it may change")
    invoices_credit.credit_approve(note, actor=omar)
    for change in (
        lambda: CreditNote.objects.update(reason="another"),
        lambda: CreditNote.objects.all().delete(),
    ):
        with pytest.raises(DatabaseError, match="never changes"), transaction.atomic():
            change()


# -- against a plain model -------------------------------------------------------------------------

MODES = st.sampled_from(["native_text", "video", "call", ""])
ENTRY = st.tuples(MODES, st.sampled_from(["", "a", "b"]), st.integers(1, 9_999), st.integers(1, 28))


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(entries=st.lists(ENTRY, min_size=1, max_size=30))
def test_sums_are_those_of_a_plain_model(wallet: Wallet, entries: list[Any]) -> None:
    set_up()
    name = f"w-{uuid4().hex[:12]}"
    own = wallet_open(Account.objects.create(slug=name, name=name), "test")
    own = Wallet.objects.select_related("account").get(pk=own.pk)
    model: dict[tuple[str, str], list[int]] = {}
    for mode, chatbot, units, day in entries:
        charge(own, at_us(own, 2026, 1, day), mode, units, chatbot=chatbot)
        figures = model.setdefault((mode, chatbot), [0, 0])
        figures[0] += 1
        figures[1] += units
    later(own)
    made = issue(own)
    told = {(e.mode, e.chatbot): [e.quantity, e.amount] for e in made.lines.all()}
    assert told == model
    assert made.total == sum(units for _count, units in model.values())
    for tax in made.taxes.all():
        its = [each for each in made.lines.all() if each.rate == tax.rate]
        assert tax.amount == sum(each.amount for each in its)
        assert tax.tax == sum(each.tax for each in its) == included(tax.amount, tax.rate)
    assert made.serial == Invoice.objects.filter(year=made.year).count()


# -- the sweep -------------------------------------------------------------------------------------


def test_the_sweep_issues_each_complete_month_once(wallet: Wallet) -> None:
    charges(wallet, 2025, 12)  # before the seller's first month
    charges(wallet, 2026, 1)
    charges(wallet, 2026, 3)
    later(wallet)
    assert issue_due() == {"issued": 2, "waiting": 0}
    assert issue_due() == {"issued": 0, "waiting": 0}
    names = [made.month_name for made in Invoice.objects.order_by("pk")]
    assert names == ["2026-01", "2026-03"]
    assert InvoiceCursor.objects.get().month is not None


def test_a_credited_month_is_not_invoiced_again_by_itself(
    wallet: Wallet, olga: User, omar: User
) -> None:
    note = invoices_credit.credit_ask(issued(wallet), actor=olga, reason="wrong name")
    invoices_credit.credit_approve(note, actor=omar)
    assert issue_due()["issued"] == 0


def test_what_can_not_be_issued_is_told_until_it_can(wallet: Wallet) -> None:
    charges(wallet)
    later(wallet)
    TaxRate.objects.filter(kind="calls").delete()
    assert issue_due() == {"issued": 0, "waiting": 1}
    incident = Incident.objects.get(type="billing.invoices")
    assert "No tax rate for calls in CN" in incident.detail
    again = {"country": "CN", "kind": "calls", "name": "VAT", "rate": 900}
    tax_profiles.rate_create(actor="test", valid_from=date(2020, 1, 1), **again)
    assert issue_due() == {"issued": 1, "waiting": 0}
    incident.refresh_from_db()
    assert incident.until is not None


def test_without_a_seller_nothing_is_issued(wallet: Wallet) -> None:
    charges(wallet)
    later(wallet)
    Seller.objects.all().delete()
    assert issue_due() == {"issued": 0, "waiting": 0}
    assert not Invoice.objects.exists()


def test_an_account_without_entries_waits_for_its_first(people: Payers) -> None:
    assert issue_due() == {"issued": 0, "waiting": 0}
    other = payers("other").wallet
    charges(other)
    later(other)
    assert issue_due()["issued"] == 1
    assert not JournalEntry.objects.filter(wallet=people.wallet).exists()
    assert InvoiceLine.objects.count() == 4
    assert InvoiceTax.objects.count() == 2


@pytest.mark.parametrize(
    ("before", "after"), [("UTC", "Asia/Shanghai"), ("Asia/Shanghai", "America/New_York")]
)
def test_each_charge_is_invoiced_once_where_the_time_zone_changes(before: str, after: str) -> None:
    set_up()
    wallet = payers(zone=before).wallet
    end = datetime(2026, 2, 1, tzinfo=UTC)
    for hours in range(-36, 36):
        charge(wallet, us_of(end + timedelta(hours=hours)), "native_text", 1_000)
    later(wallet)
    made = [issue(wallet)]
    account_change(account=wallet.account, actor="test", zone=after)
    wallet.account.refresh_from_db()
    made.append(issue(wallet, "2026-02"))
    assert (made[0].end_us, made[0].total + made[1].total) == (made[1].start_us, 72_000)
    assert [str(each) for each in unlike_of([wallet], whole=True)] == []


def test_accounts_that_were_never_checked_come_first_on_every_database(wallet: Wallet) -> None:
    with CaptureQueriesContext(connection) as captured:
        issue_due()
    assert [each["sql"] for each in captured if '"tried_at" ASC NULLS FIRST' in each["sql"]]
