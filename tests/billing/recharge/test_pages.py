"""The pages of payments and refunds, as their readers use them."""

import csv
import io
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from billing.models import Adjustment, Chatbot, MoneyOrder, PaymentMethod, Recharge, Wallet
from billing.money import UNITS
from poolsite.access.models import ApiToken
from poolsite.access.services import membership_set, user_create
from poolsite.console import tables
from poolsite.operations.models import NoticeTarget
from tests.billing.recharge.money_people import (
    Payers,
    answer,
    browser,
    completed,
    operator,
    payers,
    spendable,
    started,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
HOME = "/accounts/acme/"


def top_up(client: Client, **given: Any) -> Any:
    return client.post(f"{HOME}top-up/", {"variant": "demo", "token": str(uuid4()), **given})


def test_a_top_up_leads_to_the_provider_and_its_ending_to_the_receipt(
    people: Payers, customer: Client
) -> None:
    response = top_up(customer, amount="12.34")
    recharge = Recharge.objects.get()
    assert response["Location"] == f"{HOME}top-ups/{recharge.pk}/pay/"
    assert spendable(people.wallet) == 0
    ended = customer.post(response["Location"], {"ending": "paid"})
    assert ended["Location"] == f"{HOME}top-ups/{recharge.pk}/"
    assert spendable(people.wallet) == 123_400
    page = customer.get(ended["Location"])
    assert b"Receipt" in page.content
    for ending in ("paid", "failed", "cancelled", "confirmed", ""):
        customer.post(response["Location"], {"ending": ending})
    assert spendable(people.wallet) == 123_400


@pytest.mark.parametrize("ending", ["confirmed", "", "refunded", "PAID", "paid "])
def test_the_demo_s_page_takes_no_other_ending(
    people: Payers, customer: Client, ending: str
) -> None:
    pay = top_up(customer, amount="10")["Location"]
    assert customer.post(pay, {"ending": ending}).status_code == 200
    assert customer.get(f"{pay}?ending=paid&verification_result=confirmed").status_code == 200
    assert spendable(people.wallet) == 0


@pytest.mark.parametrize(
    "given",
    [
        {"amount": "0"},
        {"amount": "-1"},
        {"amount": "0.99"},
        {"amount": "1.001"},
        {"amount": "9999999.01"},
        {"amount": "1e400"},
        {"amount": "NaN"},
        {"amount": "Infinity"},
        {"amount": "9" * 24},
        {"amount": "1,000"},
        {"amount": "10", "variant": "paypal"},
        {"amount": "10", "token": "x"},
        {"amount": ""},
    ],
)
def test_a_form_that_cannot_be_taken_says_so_and_opens_nothing(
    customer: Client, given: dict[str, str]
) -> None:
    assert top_up(customer, **given).status_code == 422
    assert not Recharge.objects.exists()


def test_a_foreign_top_up_looks_like_a_missing_one(people: Payers) -> None:
    recharge = started(people, 10, "demo")
    stranger = browser(payers("other").owner)
    for part in ("", "pay/", "state/"):
        assert stranger.get(f"{HOME}top-ups/{recharge.pk}/{part}").status_code == 404
        assert stranger.get(f"/accounts/other/top-ups/{recharge.pk}/{part}").status_code == 404
    pay = f"/accounts/other/top-ups/{recharge.pk}/pay/"
    assert stranger.post(pay, {"ending": "paid"}).status_code == 404
    assert spendable(people.wallet) == 0


def test_who_only_looks_cannot_pay(people: Payers) -> None:
    sender = user_create(username="sender", actor="test")
    membership_set(user=sender, account=people.wallet.account, roles=["sender"], actor="test")
    client = browser(sender)
    recharge = started(people, 10, "demo")
    assert client.get(f"{HOME}top-ups/").status_code == 200
    assert client.get(f"{HOME}top-up/").status_code == 403
    assert client.post(f"{HOME}top-ups/{recharge.pk}/pay/", {"ending": "paid"}).status_code == 403
    assert spendable(people.wallet) == 0


def test_the_history_is_filtered_and_paged_by_its_key(people: Payers, customer: Client) -> None:
    paid = [started(people, 10) for _ in range(2)]
    for each in paid:
        answer(completed(each))
    for _ in range(tables.PAGE_ROWS + 1):
        started(people, 20, "demo")
    count = tables.PAGE_ROWS + 3
    rows = customer.get(f"{HOME}top-ups/?show=paid").context["rows"]
    assert [row.pk for row, *_ in rows] == [paid[1].pk, paid[0].pk]
    assert len(customer.get(f"{HOME}top-ups/?variant=demo").context["rows"]) == tables.PAGE_ROWS
    first = customer.get(f"{HOME}top-ups/")
    second = customer.get(f"{HOME}top-ups/{first.context['next_url']}")
    keys = [row.pk for page in (first, second) for row, *_ in page.context["rows"]]
    assert keys == sorted(keys, reverse=True)
    assert len(set(keys)) == count
    for search in (paid[0].number, f"cs_test_{paid[0].pk}", f"pi_{paid[0].pk}"):
        found = customer.get(f"{HOME}top-ups/?q={search}").context["rows"]
        assert [row.pk for row, *_ in found] == [paid[0].pk]
    assert f"{count} top-ups, ¥20.00 paid" in first.content.decode()
    assert customer.get(f"{HOME}top-ups/?year=x&after=y&show=z&sort=w").status_code == 200
    Recharge.objects.filter(pk=paid[0].pk).update(created=paid[0].created.replace(year=2020))
    found = customer.get(f"{HOME}top-ups/?year=2020").context["rows"]
    assert [row.pk for row, *_ in found] == [paid[0].pk]


def test_an_unpaid_top_up_is_cancelled_and_a_paid_one_has_a_receipt_as_a_file(
    people: Payers, customer: Client
) -> None:
    recharge, paid = started(people, 10, "demo"), started(people, 20)
    answer(completed(paid))
    pdf = customer.get(f"{HOME}top-ups/{paid.pk}/pdf/")
    assert pdf["Content-Type"] == "application/pdf"
    assert pdf.content.startswith(b"%PDF")
    assert customer.get(f"{HOME}top-ups/{recharge.pk}/pdf/").status_code == 302
    for each in (recharge, paid):
        customer.post(f"{HOME}top-ups/{each.pk}/cancel/")
        each.refresh_from_db()
    assert (recharge.status, paid.status) == ("cancelled", "confirmed")
    assert spendable(people.wallet) == 20 * UNITS


def test_the_history_s_file_has_every_row_of_the_filter(people: Payers, customer: Client) -> None:
    answer(completed(started(people, 10)))
    started(people, 20, "demo")
    response = customer.get(f"{HOME}top-ups/?format=csv&show=paid")
    text = b"".join(response.streaming_content).decode().removeprefix("\ufeff")
    (row,) = csv.DictReader(io.StringIO(text))
    assert (row["amount"], row["currency"], row["status"]) == ("10.0000", "CNY", "confirmed")


def test_rules_are_saved_and_bad_ones_are_shown_beside_their_field(
    people: Payers, customer: Client
) -> None:
    method = {"variant": "demo", "reference": "d-1", "label": "Demo card", "added_by": "test"}
    PaymentMethod.objects.create(wallet=people.wallet, **method)
    rules = {
        "part": "rules",
        "alert_below": "100",
        "daily_limit": "",
        "top_up_below": "50",
        "top_up_amount": "40",
        "top_up_daily_count": "2",
    }
    refused = customer.post(f"{HOME}limits/", rules)
    assert refused.status_code == 422
    assert refused.context["form"].errors["top_up_amount"]
    assert customer.post(f"{HOME}limits/", {**rules, "top_up_amount": "60"}).status_code == 302
    wallet = Wallet.objects.get()
    assert (wallet.alert_below, wallet.top_up_amount) == (100 * UNITS, 60 * UNITS)
    assert wallet.daily_limit == 0


def test_rules_of_automatic_top_ups_need_a_saved_method(people: Payers, customer: Client) -> None:
    form = customer.get(f"{HOME}limits/").context["form"]
    assert list(form.fields) == ["alert_below", "daily_limit"]
    assert customer.post(f"{HOME}limits/", {"part": "rules", "alert_below": "5"}).status_code == 302
    assert Wallet.objects.get().alert_below == 5 * UNITS


def test_who_is_told_is_added_and_removed_by_the_account_s_own_people(
    people: Payers, customer: Client
) -> None:
    def add(address: str) -> int:
        given = {"part": "target", "address": address}
        return int(customer.post(f"{HOME}limits/", given).status_code)

    assert add("no address") == 422
    assert add("a@example.org") == 302
    target = NoticeTarget.objects.get()
    assert target.account_id == people.wallet.account_id
    forget = {"part": "forget", "target": str(target.pk)}
    browser(payers("other").owner).post("/accounts/other/limits/", forget)
    assert NoticeTarget.objects.exists()
    customer.post(f"{HOME}limits/", forget)
    assert not NoticeTarget.objects.exists()


def test_an_adjustment_by_the_form_and_its_approval_by_another(people: Payers) -> None:
    olga, omar = browser(operator("olga", "finance")), browser(operator("omar", "finance"))
    given = {"kind": "credit", "amount": "5", "reason": "goodwill", "token": str(uuid4())}
    page = olga.post("/billing/accounts/acme/adjust/", given)["Location"]
    assert olga.post("/billing/accounts/acme/adjust/", given)["Location"] == page
    olga.post(f"{page}approve/")
    assert spendable(people.wallet) == 0
    omar.post(f"{page}approve/")
    omar.post(f"{page}approve/")
    assert spendable(people.wallet) == 5 * UNITS
    assert omar.post(f"{page}reject/", {"reason": "too late"}).status_code == 302
    assert Adjustment.objects.get().status == "applied"
    assert MoneyOrder.objects.count() == 1


def test_money_by_hand_asks_for_a_second_factor_that_was_proved_lately(
    people: Payers, settings: Any
) -> None:
    settings.SECOND_FACTOR_FOR_MONEY = True
    client = browser(operator("olga", "finance"))
    given = {"kind": "credit", "amount": "5", "reason": "goodwill", "token": str(uuid4())}
    answered = client.post("/billing/accounts/acme/adjust/", given)
    assert answered["Location"].startswith("/security/confirm/")
    assert not Adjustment.objects.exists()
    shown = client.get("/billing/accounts/acme/adjust/")
    assert "next=%2Fbilling%2Faccounts%2Facme%2Fadjust%2F" in shown["Location"]


def test_a_refund_is_asked_for_accepted_and_shown(people: Payers, customer: Client) -> None:
    answer(completed(started(people, 30)))
    Wallet.objects.update(spendable=30 * UNITS)
    given = {
        "amount": "30",
        "bank": "Bank",
        "bank_account": "1",
        "holder": "A",
        "reason": "leaving",
    }
    assert customer.post(f"{HOME}refund/", given).status_code == 302
    assert b"Withdraw request" in customer.get(f"{HOME}refund/").content
    olga = browser(operator("olga", "finance"))
    (waiting,) = olga.get("/billing/adjustments/").context["refunds"]
    accepted = olga.post(
        f"/billing/refunds/{waiting.pk}/", {"accept": "1", "reference": "T1", "token": str(uuid4())}
    )
    assert accepted["Location"].startswith("/billing/adjustments/")
    browser(operator("omar", "finance")).post(f"{accepted['Location']}approve/")
    assert spendable(people.wallet) == 0


def test_a_wallet_is_opened_and_closed_by_its_pages() -> None:
    people, olga = payers(), browser(operator("olga", "finance"))
    from poolsite.access.models import Account

    Account.objects.create(slug="fresh", name="Fresh")
    for _ in range(2):
        assert olga.post("/billing/open/", {"account": "fresh"}).status_code == 302
    assert Wallet.objects.filter(account__slug="fresh").count() == 1
    assert olga.post("/billing/open/", {"account": "ghost"}).status_code == 422
    close = "/billing/accounts/acme/close/"
    assert olga.post(close, {"reason": ""}).status_code == 422
    assert olga.post(close, {"reason": "contract ended"}).status_code == 302
    people.wallet.refresh_from_db()
    assert people.wallet.status == "closed"
    page = browser(people.owner).get(f"{HOME}top-up/")
    assert b"The account is closed" in page.content


def test_a_chatbot_is_added_and_its_token_shown_once(people: Payers, customer: Client) -> None:
    given = {"slug": "shop", "name": "Shop", "rate_limit": "5"}
    assert customer.post(f"{HOME}chatbots/new/", {**given, "slug": "No good"}).status_code == 422
    made = customer.post(f"{HOME}chatbots/new/", given)["Location"]
    shown = customer.post(f"{made}token/")
    assert shown["Cache-Control"] == "no-store"
    token = ApiToken.objects.get()
    assert token.prefix.encode() in shown.content
    assert shown.context["secret"].encode() not in customer.get(made).content
    customer.post(f"{made}archive/", {"archived": "1"})
    token.refresh_from_db()
    assert token.revoked_at is not None
    assert Chatbot.objects.get().archived_at is not None


def test_a_page_asks_who_you_are_first() -> None:
    payers()
    client = Client()
    for path in ("top-up/", "top-ups/", "limits/", "refund/", "statements/"):
        assert client.get(f"{HOME}{path}")["Location"].startswith("/login/")
