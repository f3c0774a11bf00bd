"""The pages and files of invoices: customers see only theirs; finance issues, credits and sets."""

import csv
import io
from typing import Any

import pytest
from django.test import Client

from billing.models import CreditNote, Invoice, Seller, TaxProfile, TaxRate, Wallet
from billing.money import parse, plain
from billing.search import find
from billing.services.invoices_credit import credit_approve, credit_ask
from poolsite.access import principal_of_user
from poolsite.access.models import AuditEntry, User
from poolsite.access.services import membership_set, user_create
from tests.billing.invoices.invoice_books import charges, issued, later
from tests.billing.recharge.money_people import Payers, browser, operator, payers
from tests.support.pdf_text import text_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
OF = "/accounts/acme/"
PROFILE = {
    "legal_name": "Acme Foods Ltd",
    "address": "1 Lake Road\r\nShanghai",
    "country": "cn",
    "tax_id": "91310000",
    "treatment": "standard",
    "email": "bills@acme.example",
}


def text(answer: Any) -> str:
    return b"".join(answer.streaming_content).decode().removeprefix("\ufeff")


def test_a_customer_sees_own_invoices_only(people: Payers) -> None:
    own = issued(people.wallet)
    other = payers("other")
    theirs = issued(other.wallet)
    client, stranger = browser(people.owner), browser(other.owner)
    page = client.get(f"{OF}invoices/").content.decode()
    assert own.number in page
    assert theirs.number not in page
    for part in ("", "pdf/", "csv/"):
        assert client.get(f"{OF}invoices/{own.pk}/{part}").status_code == 200
        assert stranger.get(f"{OF}invoices/{own.pk}/{part}").status_code == 404
        # Another account's invoice below the member's own address.
        assert client.get(f"{OF}invoices/{theirs.pk}/{part}").status_code == 404
    assert client.get(f"{OF}invoices/{own.pk}/credit-note/pdf/").status_code == 404
    assert client.get("/billing/invoices/").status_code == 403
    assert client.post(f"{OF}invoices/{own.pk}/credit/", {"reason": "x"}).status_code == 403


def test_the_document_says_it_all_and_is_always_the_same(people: Payers) -> None:
    client = browser(people.owner)
    assert client.post(f"{OF}tax-profile/", PROFILE).status_code == 302
    invoice = issued(people.wallet)
    first = client.get(f"{OF}invoices/{invoice.pk}/pdf/")
    told = text_of(first.content)
    for words in (
        *(invoice.number, "January 2026", "Poolsite Ltd", "Acme Foods Ltd", "1 Lake Road"),
        *("Tax ID: 91310000", "VAT 6%", "VAT 9%", "Native text", "Paid from the balance"),
        *(f"{invoice.total / 10_000:.4f}", f"{invoice.tax / 10_000:.4f}"),
    ):
        assert words in told, told
    assert client.get(f"{OF}invoices/{invoice.pk}/pdf/").content == first.content
    assert client.post(f"{OF}tax-profile/", {**PROFILE, "legal_name": "Later"}).status_code == 302
    assert client.get(f"{OF}invoices/{invoice.pk}/pdf/").content == first.content


def test_the_file_of_lines_adds_up(people: Payers) -> None:
    invoice = issued(people.wallet)
    answer = browser(people.owner).get(f"{OF}invoices/{invoice.pk}/csv/")
    rows = list(csv.DictReader(io.StringIO(text(answer))))
    assert sum(parse(row["amount"]) for row in rows) == invoice.total
    assert sum(parse(row["tax"]) for row in rows) == invoice.tax
    assert [row["tax rate"] for row in rows] == ["6", "6", "6", "9"]
    listed = browser(people.owner).get(f"{OF}invoices/?format=csv")
    (row,) = csv.DictReader(io.StringIO(listed.getvalue().decode("utf-8-sig")))
    assert (row["number"], row["total"]) == (invoice.number, plain(invoice.total))


def test_owner_and_payer_write_the_tax_profile_and_it_is_audited(people: Payers) -> None:
    account = people.wallet.account
    for role, status in (("payer", 302), ("sender", 403), ("admin", 403)):
        user = user_create(username=role, actor="test")
        membership_set(user=user, account=account, roles=[role], actor="test")
        assert browser(user).post(f"{OF}tax-profile/", PROFILE).status_code == status
    profile = TaxProfile.objects.get()
    assert (profile.country, profile.address) == ("CN", "1 Lake Road\nShanghai")
    entry = AuditEntry.objects.get(action="billing.tax_profile_set")
    assert (entry.actor_name, entry.account_id) == ("payer", account.pk)
    client = browser(people.owner)
    assert client.post(f"{OF}tax-profile/", PROFILE).status_code == 302
    assert AuditEntry.objects.filter(action="billing.tax_profile_set").count() == 1
    assert "Acme Foods Ltd" in client.get(f"{OF}tax-profile/").content.decode()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"country": "China"}, "country"),
        ({"legal_name": ""}, "legal_name"),
        ({"email": "x"}, "email"),
        ({"treatment": "gift"}, "treatment"),
        ({"treatment": "reverse_charge", "tax_id": ""}, "tax_id"),
        ({"treatment": "reverse_charge"}, "treatment"),
    ],
)
def test_a_bad_tax_profile_changes_nothing(
    people: Payers, change: dict[str, str], field: str
) -> None:
    answer: Any = browser(people.owner).post(f"{OF}tax-profile/", {**PROFILE, **change})
    assert answer.status_code == 422
    assert field in answer.context["form"].errors
    assert not TaxProfile.objects.exists()


# -- operators -------------------------------------------------------------------------------------


@pytest.fixture
def finance(olga: User) -> Client:
    return browser(olga)


def test_operators_list_all_accounts_with_filters(people: Payers, finance: Client) -> None:
    own, theirs = issued(people.wallet), issued(payers("other").wallet)

    def numbers(query: str = "") -> list[str]:
        answer: Any = finance.get(f"/billing/invoices/{query}")
        return [row.number for row in answer.context["rows"]]

    assert numbers() == [theirs.number, own.number]
    assert numbers("?q=acme") == [own.number]
    assert numbers(f"?q={theirs.number}") == [theirs.number]
    assert numbers("?state=credited") == []
    assert numbers("?year=2026") == [theirs.number, own.number]
    assert browser(operator("looker")).get("/billing/invoices/").status_code == 200


def test_finance_issues_credits_and_issues_again(
    people: Payers, finance: Client, omar: User
) -> None:
    charges(people.wallet)
    later(people.wallet)
    page: Any = finance.get(f"{OF}invoices/")
    assert [value for value, _words in page.context["issue"].fields["month"].choices] == ["2026-01"]
    assert finance.post(f"{OF}invoices/issue/", {"month": "2026-02"}).status_code == 302
    assert not Invoice.objects.exists()
    finance.post(f"{OF}invoices/issue/", {"month": "2026-01"})
    invoice = Invoice.objects.get()
    one = f"{OF}invoices/{invoice.pk}/"
    assert finance.post(f"{one}credit/", {"reason": ""}).status_code == 422
    finance.post(f"{one}credit/", {"reason": "Wrong name"})
    note = CreditNote.objects.get()
    assert "Another finance operator must approve" in finance.get(one).content.decode()
    browser(omar).post(f"/billing/credit-notes/{note.pk}/approve/")
    note.refresh_from_db()
    told = finance.get(one).content.decode()
    assert note.number in told
    document = text_of(finance.get(f"{one}credit-note/pdf/").content)
    assert note.number in document
    assert invoice.number in document
    finance.post(f"{OF}invoices/issue/", {"month": "2026-01"})
    assert Invoice.objects.count() == 2


def test_a_request_is_rejected_on_the_page(wallet: Wallet, finance: Client, omar: User) -> None:
    one = f"{OF}invoices/{issued(wallet).pk}/"
    finance.post(f"{one}credit/", {"reason": "Wrong name"})
    note = CreditNote.objects.get()
    other = browser(omar)
    assert other.post(f"/billing/credit-notes/{note.pk}/reject/", {}).status_code == 422
    other.post(f"/billing/credit-notes/{note.pk}/reject/", {"reason": "It was right"})
    note.refresh_from_db()
    assert note.status == "rejected"
    assert "Issue credit note" in finance.get(one).content.decode()


def test_seller_and_rates_are_set_on_one_page(finance: Client, people: Payers) -> None:
    page = "/billing/seller/"
    seller = {
        "part": "seller",
        "name": "Poolsite SA",
        "address": "Rue 1",
        "country": "FR",
        "tax_id": "",
        "prefix": "f-r",
        "zone": "Europe/Paris",
        "first_month": "2026-03",
    }
    assert finance.post(page, seller).status_code == 422
    assert finance.post(page, {**seller, "prefix": "fr"}).status_code == 302
    found = Seller.objects.get()
    assert (found.prefix, f"{found.first_month}") == ("FR", "2026-03-01")
    rate = {
        "part": "rate",
        "country": "FR",
        "kind": "messages",
        "name": "TVA",
        "rate": "5.5",
        "valid_from": "2026-01-01",
        "valid_until": "",
    }
    assert finance.post(page, rate).status_code == 302
    assert finance.post(page, rate).status_code == 422  # the same day
    assert finance.post(page, {**rate, "valid_from": "2026-06-01", "rate": "6"}).status_code == 302
    first, second = TaxRate.objects.filter(country="FR").order_by("pk")
    assert (first.rate, f"{first.valid_until}", second.rate) == (550, "2026-06-01", 600)
    assert finance.post(f"/billing/tax-rates/{second.pk}/end/", {}).status_code == 200
    ended = {"valid_until": "2026-12-31"}
    assert finance.post(f"/billing/tax-rates/{second.pk}/end/", ended).status_code == 302
    early = {"valid_until": "2026-01-01"}
    assert finance.post(f"/billing/tax-rates/{second.pk}/end/", early).status_code == 422
    assert browser(people.owner).get(page).status_code == 403
    assert browser(operator("looker")).get(page).status_code == 403


def test_an_invoice_and_its_credit_note_are_found_by_their_numbers(
    people: Payers, olga: User, omar: User
) -> None:
    invoice = issued(people.wallet)
    note = credit_approve(credit_ask(invoice, actor=olga, reason="Wrong name"), actor=omar)
    reader, stranger = principal_of_user(people.owner), principal_of_user(payers("other").owner)
    for number in (invoice.number, note.number, invoice.number.lower()):
        found = [each for each in find(reader, number, 5) if each.key == f"invoice:{invoice.pk}"]
        assert [each.url for each in found] == [f"{OF}invoices/{invoice.pk}/"]
        assert not list(find(stranger, number, 5))
