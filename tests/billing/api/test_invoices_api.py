"""The API of invoices: list, read, files, issue, credit; tax profiles, the seller and tax rates."""

import csv
import io
from typing import Any

import pytest

from billing.models import Invoice, TaxProfile
from billing.money import parse
from tests.billing.api.book_keepers import Office
from tests.billing.invoices.invoice_books import SELLER, charges, issued, later, set_up
from tests.support.pdf_text import text_of

INVOICING = "/api/v1/invoicing"
PROFILE = {
    "legal_name": "Acme Ltd",
    "address": "1 Lake Road\nShanghai",
    "country": "CN",
    "tax_id": "91310000",
    "email": "bills@acme.example",
}
RATE = {
    "country": "DE",
    "kind": "messages",
    "name": "USt",
    "rate": "19",
    "valid_from": "2026-01-01",
}


def ok(answer: Any, status: int = 200) -> Any:
    assert answer.status_code == status, answer.content
    return answer.json() if answer.content else None


def refused(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["type"]


def month_with_charges(office: Office) -> int:
    set_up()
    wallet = office.shop.wallet
    total = charges(wallet)
    later(wallet)
    return total


def test_a_month_is_issued_read_and_downloaded(office: Office) -> None:
    total = month_with_charges(office)
    body = {"month": "2026-01"}
    assert office.ask("post", "invoices", body, who="owner").status_code == 403
    assert office.ask("post", "invoices", body, who="looker").status_code == 403
    made = ok(office.ask("post", "invoices", body, who="olga"), 201)
    assert ok(office.ask("post", "invoices", body, who="omar"), 201)["id"] == made["id"]
    one = f"invoices/{made['id']}"
    for who in ("owner", "payer", "sender", "token", "looker"):
        assert ok(office.ask("get", one, who=who)) == made
    assert parse(made["total"]) == total
    assert parse(made["net"]) + parse(made["tax"]) == total
    assert sum(parse(line["amount"]) for line in made["lines"]) == total
    assert [(tax["name"], tax["rate"]) for tax in made["taxes"]] == [("VAT", "6"), ("VAT", "9")]
    (row,) = ok(office.ask("get", "invoices"))["data"]
    assert row == {name: made[name] for name in row}
    answer = office.ask("get", f"{one}/csv")
    text = b"".join(answer.streaming_content).decode().removeprefix("\ufeff")
    assert sum(parse(each["amount"]) for each in csv.DictReader(io.StringIO(text))) == total
    assert made["number"] in text_of(office.ask("get", f"{one}/pdf").content)


def test_filters_and_what_is_not_there(office: Office) -> None:
    invoice = issued(office.shop.wallet)
    for query, count in (
        *(({"month": "2026-01"}, 1), ({"month": "2026-02"}, 0)),
        *(({"state": "issued"}, 1), ({"state": "credited"}, 0)),
    ):
        assert len(ok(office.ask("get", "invoices", query))["data"]) == count
    assert refused(office.ask("get", "invoices", {"month": "2026-13"})) == (422, "malformed")
    assert refused(office.ask("get", "invoices", {"odd": "1"})) == (422, "malformed")
    assert refused(office.ask("get", "invoices/999")) == (404, "unknown-invoice")
    one = f"invoices/{invoice.pk}"
    assert refused(office.ask("get", f"{one}/credit/pdf")) == (404, "unknown-credit-note")
    for part in ("", "/pdf", "/csv"):
        assert refused(office.ask("get", f"{one}{part}", who="stranger")) == (
            404,
            "unknown-account",
        )
    theirs = issued(office.foreign.wallet)
    assert refused(office.ask("get", f"invoices/{theirs.pk}")) == (404, "unknown-invoice")


@pytest.mark.parametrize("month", ["2026-02", "2199-01", "x", "2026-1"])
def test_a_month_that_can_not_be_invoiced_gets_no_number(office: Office, month: str) -> None:
    month_with_charges(office)
    answer = office.ask("post", "invoices", {"month": month}, who="olga")
    assert answer.status_code in (404, 422)
    assert not Invoice.objects.exists()


def test_a_credit_note_takes_two(office: Office) -> None:
    invoice = issued(office.shop.wallet)
    one, why = f"invoices/{invoice.pk}/credit", {"reason": "Wrong name"}
    assert office.ask("post", one, why, who="owner").status_code == 403
    assert refused(office.ask("post", f"{one}/approve", {}, who="omar")) == (
        404,
        "unknown-credit-note",
    )
    made = ok(office.ask("post", one, why, who="olga"), 201)
    assert (made["state"], made["number"], made["requested_by"]) == ("waiting", "", "olga")
    assert office.ask("post", f"{one}/approve", {}, who="olga").status_code == 422
    done = ok(office.ask("post", f"{one}/approve", {"reason": "yes"}, who="omar"))
    assert (done["state"], done["decided_by"]) == ("issued", "omar")
    assert ok(office.ask("get", f"invoices/{invoice.pk}"))["credit_note"] == done["number"]
    assert done["number"] in text_of(office.ask("get", f"{one}/pdf").content)
    again = ok(office.ask("post", "invoices", {"month": "2026-01"}, who="olga"), 201)
    assert again["id"] != invoice.pk
    asked = f"invoices/{again['id']}/credit"
    ok(office.ask("post", asked, why, who="olga"), 201)
    rejected = ok(office.ask("post", f"{asked}/reject", {"reason": "No"}, who="omar"))
    assert (rejected["state"], rejected["decision_reason"]) == ("rejected", "No")


def test_the_tax_profile_is_the_payers_and_finance_s(office: Office) -> None:
    set_up()
    assert ok(office.ask("get", "tax-profile"))["entered"] is False
    for who, status in (("sender", 403), ("token", 403), ("looker", 403), ("payer", 200)):
        assert office.ask("put", "tax-profile", PROFILE, who=who).status_code == status
    told = ok(office.ask("put", "tax-profile", {**PROFILE, "reason": "asked"}, who="olga"))
    assert told == {**PROFILE, "entered": True, "treatment": "standard"}
    for bad in (
        *({"country": "China"}, {"country": "cn"}, {"legal_name": ""}, {"email": "x"}),
        *({"treatment": "gift"}, {"odd": 1}, {"treatment": "reverse_charge"}),
    ):
        assert office.ask("put", "tax-profile", {**PROFILE, **bad}).status_code == 422
    assert TaxProfile.objects.get().treatment == "standard"


def test_the_seller_is_read_by_operators_and_set_by_finance(office: Office) -> None:
    url = f"{INVOICING}/seller"
    assert refused(office.at("get", url, who="looker")) == (404, "unknown-seller")
    body = {**SELLER, "first_month": "2026-01-15"}
    for who in ("owner", "looker", "token"):
        assert office.at("put", url, body, who=who).status_code == 403
    told = ok(office.at("put", url, body, who="olga"))
    assert told == {**SELLER, "first_month": "2026-01-01"}
    assert ok(office.at("get", url, who="looker")) == told
    assert office.at("get", url, who="owner").status_code == 403
    for bad in ({"prefix": "ps"}, {"zone": "Mars/Base"}, {"first_month": 5}, {"name": ""}):
        assert office.at("put", url, {**body, **bad}, who="olga").status_code == 422
    assert ok(office.at("get", url, who="looker")) == told


def test_tax_rates_follow_each_other(office: Office) -> None:
    url = f"{INVOICING}/tax-rates"
    assert office.at("post", url, RATE, who="olga").status_code == 422  # no seller yet
    set_up()
    made = ok(office.at("post", url, RATE, who="olga"), 201)
    assert (made["rate"], made["valid_until"]) == ("19", None)
    next_one = {**RATE, "rate": "16.5", "valid_from": "2026-07-01"}
    assert office.at("post", url, next_one, who="looker").status_code == 403
    ok(office.at("post", url, next_one, who="olga"), 201)
    query = {"country": "DE", "kind": "messages"}
    rows = ok(office.at("get", url, query, who="looker"))["data"]
    assert [(row["rate"], row["valid_until"]) for row in rows] == [
        ("16.5", None),
        ("19", "2026-07-01"),
    ]
    for bad in (
        *({"valid_from": "2026-07-01"}, {"valid_from": "2026-03-01"}, {"rate": "101"}),
        *({"rate": "1.005"}, {"rate": "-1"}, {"valid_until": "2025-01-01"}, {"kind": "gifts"}),
    ):
        assert office.at("post", url, {**RATE, **bad}, who="olga").status_code == 422
    end = f"{url}/{rows[0]['id']}/end"
    assert ok(office.at("post", end, {"valid_until": "2026-12-31"}, who="olga"))["valid_until"] == (
        "2026-12-31"
    )
    assert office.at("post", end, {"valid_until": "2027-12-31"}, who="olga").status_code == 422
    assert refused(office.at("post", f"{url}/999/end", {"valid_until": "2026-12-31"}, who="olga"))[
        1
    ] == ("unknown-tax-rate")


def test_operators_list_the_invoices_of_all_accounts(office: Office) -> None:
    own, theirs = issued(office.shop.wallet), issued(office.foreign.wallet)
    url = f"{INVOICING}/invoices"

    def ids(**query: Any) -> list[int]:
        return [row["id"] for row in ok(office.at("get", url, query, who="looker"))["data"]]

    assert ids() == [theirs.pk, own.pk]
    assert ids(q="acme") == [own.pk]
    assert ids(month="2026-02") == []
    for who in ("owner", "token"):
        assert office.at("get", url, who=who).status_code == 403
