"""Requesting an adjustment and finding it again: fields by kind, before and after, the list."""

import csv
import io
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from billing.models import Adjustment
from billing.money import UNITS
from billing.selectors.adjustments import Effect, effect
from billing.services import adjustments
from poolsite.access.models import User
from tests.billing.recharge.money_people import (
    Payers,
    answer,
    browser,
    completed,
    figures,
    operator,
    payers,
    started,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
FORM = "/billing/accounts/acme/adjust/"
LIST = "/billing/adjustments/"


@pytest.fixture
def client(olga: User) -> Client:
    return browser(olga)


def fields(client: Client, query: str = "") -> list[str]:
    form: Any = client.get(f"{FORM}{query}").context["form"]
    return [field.name for field in form.visible_fields()]


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("", ["amount", "reason", "reference"]),
        ("?kind=credit", ["amount", "reason", "reference"]),
        ("?kind=cash_refund", ["amount", "reason", "reference"]),
        ("?kind=chargeback", ["recharge", "amount", "reason"]),
        ("?kind=by_hand", ["amount", "reason", "reference"]),
        ("?kind=nonsense", ["amount", "reason", "reference"]),
    ],
)
def test_only_the_fields_of_the_chosen_kind_are_there(
    people: Payers, client: Client, query: str, wanted: list[str]
) -> None:
    assert fields(client, query) == wanted


def test_a_chargeback_needs_the_account_s_own_top_up(people: Payers, client: Client) -> None:
    recharge = started(people, 30)
    answer(completed(recharge))
    theirs = started(payers("other"), 30)
    given = {"kind": "chargeback", "amount": "30", "reason": "bank", "token": str(uuid4())}
    for number in ("", theirs.number, "R9999", "x"):
        answered: Any = client.post(FORM, {**given, "recharge": number})
        assert answered.status_code == 422
        assert list(answered.context["form"].errors) == ["recharge"]
    assert not Adjustment.objects.exists()
    assert client.post(FORM, {**given, "recharge": recharge.number}).status_code == 302
    assert Adjustment.objects.get().recharge == recharge


def test_balances_say_to_finance_how_many_wait_for_approval(
    people: Payers, client: Client, settings: Any
) -> None:
    settings.BILLING_FOUR_EYES_ABOVE = 1

    def words(reader: Client) -> str:
        return reader.get("/billing/accounts/").content.decode()

    assert 'aria-label="Adjustments"' in words(client)
    given = {"kind": "credit", "amount": "30", "reason": "goodwill", "token": str(uuid4())}
    assert client.post(FORM, given).status_code == 302
    assert Adjustment.objects.get().status == Adjustment.Status.WAITING
    page = words(client)
    assert 'aria-label="Adjustments, 1 waiting for approval"' in page
    assert '<span class="badge badge--warn">1</span>' in page
    assert LIST not in words(browser(operator("looker")))


@pytest.mark.parametrize("kind", ["by_hand", "recharge", "nonsense"])
def test_a_kind_that_no_form_offers_is_refused(people: Payers, client: Client, kind: str) -> None:
    given = {"kind": kind, "amount": "1", "reason": "x", "token": str(uuid4())}
    assert client.post(FORM, given).status_code == 422
    assert not Adjustment.objects.exists()


def test_the_form_says_who_can_approve_and_what_the_balance_becomes(
    people: Payers, client: Client, settings: Any
) -> None:
    omar = operator("omar", "finance")
    answer(completed(started(people, 30)))
    page = client.get(f"{FORM}?kind=debit&amount=50").content.decode()
    assert "Takes effect after another operator approves it." in page
    assert omar.get_username() in page
    assert "¥30.00" in page  # now
    assert "¥20.00 owed" in page  # after
    settings.BILLING_FOUR_EYES_ABOVE = 100 * UNITS
    assert "More than ¥100.00 in 24 hours" in client.get(FORM).content.decode()


@pytest.mark.parametrize("kind", ["credit", "debit", "chargeback", "cash_refund"])
@pytest.mark.parametrize("amount", [10, 30, 70])
def test_what_the_form_foretells_is_what_happens(
    people: Payers, olga: User, settings: Any, kind: str, amount: int
) -> None:
    settings.BILLING_FOUR_EYES_ABOVE = 1_000 * UNITS
    answer(completed(started(people, 30)))
    foretold = effect(kind, amount * UNITS, 30 * UNITS, 0)
    if foretold.refused:
        return
    made = {"kind": kind, "amount": amount * UNITS, "reason": "x", "token": uuid4()}
    adjustments.adjustment_ask(people.wallet, actor=olga, **made)
    now = figures(people.wallet)
    assert (now.bal, now.receivable) == (foretold.balance, foretold.owed)


def test_a_credit_pays_what_is_owed_and_no_refund_goes_beyond_the_balance() -> None:
    assert effect("credit", 50, 10, 20) == Effect(40, 0)
    assert effect("credit", 15, 0, 20) == Effect(0, 5)
    assert effect("cash_refund", 11, 10, 0).refused
    assert effect("cash_refund", 11, 10, 0, credit_limit=50).refused


def test_a_debit_takes_credit_before_anything_is_owed() -> None:
    assert effect("debit", 40, 10, 0, credit_limit=20) == Effect(-20, 10)
    assert effect("chargeback", 5, -30, 0, credit_limit=20) == Effect(-30, 5)
    assert effect("credit_limit", 500, 10, 3) == Effect(10, 3)


def test_the_list_filters_counts_sorts_and_exports(
    people: Payers, client: Client, olga: User
) -> None:
    payers("other")
    for kind, amount in (("credit", 5), ("debit", 7), ("credit", 9)):
        adjustments.adjustment_ask(
            people.wallet, actor=olga, kind=kind, amount=amount * UNITS, reason="r", token=uuid4()
        )
    last = Adjustment.objects.latest("pk")
    adjustments.adjustment_reject(last, actor=olga, reason="a mistake")

    def amounts(query: str) -> list[int]:
        rows = client.get(f"{LIST}{query}").context["rows"]
        return [row["adjustment"].amount // UNITS for row in rows]

    assert amounts("") == [7, 5]
    assert amounts("?show=all&sort=amount") == [5, 7, 9]
    assert amounts("?show=rejected") == [9]
    assert amounts("?show=all&kind=debit") == [7]
    assert amounts("?show=all&q=acm") == [9, 7, 5]
    assert amounts("?show=all&q=other") == []
    shown = client.get(LIST).content.decode()
    assert "Waiting for approval (2)" in shown
    assert "Rejected (1)" in shown
    text = client.get(f"{LIST}?show=rejected&format=csv").content.decode()
    (row,) = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")))
    wanted = {"type": "credit", "amount": "9.0000", "state": "rejected"}
    assert wanted.items() <= row.items()
    assert row["decision_reason"] == "a mistake"
