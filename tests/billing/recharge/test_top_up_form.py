"""The form of a top-up asks for the amount once, and shows what the amount does."""

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from billing.models import Recharge, UsageHour
from billing.money import UNITS
from billing.selectors.top_up import Outlook, presets
from tests.billing.recharge.money_people import (
    Payers,
    answer,
    completed,
    spendable,
    started,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
PAGE = "/accounts/acme/top-up/"


def post(client: Client, **given: Any) -> Any:
    sent = {"variant": "demo", "token": str(uuid4()), **given}
    return client.post(PAGE, sent)


def test_an_amount_chosen_before_is_shown_and_not_asked_for_again(customer: Client) -> None:
    page = customer.get(f"{PAGE}?amount=500").content.decode()
    assert '<input type="hidden" name="amount" value="500">' in page
    assert 'name="preset"' not in page
    assert "You pay ¥500.00. Your balance becomes about ¥500.00." in page
    changed = customer.get(f"{PAGE}?change=500").content.decode()
    assert 'type="hidden" name="amount"' not in changed
    assert 'name="preset" value="500" checked' in changed


@pytest.mark.parametrize("amount", ["0", "-5", "0.001", "x", "1e99", "9999999.01", "<b>"])
def test_an_amount_of_the_address_that_cannot_be_paid_is_asked_for(
    customer: Client, amount: str
) -> None:
    page = customer.get(PAGE, {"amount": amount}).content.decode()
    assert 'type="hidden" name="amount"' not in page
    assert "You pay" not in page
    assert 'name="preset" value="other" checked' in page
    assert "<b>0" not in page


def test_a_preset_that_is_chosen_counts_and_else_the_amount_written(
    people: Payers, customer: Client
) -> None:
    assert post(customer, preset="500", amount="7.5").status_code == 302
    assert post(customer, preset="other", amount="7.5").status_code == 302
    assert list(Recharge.objects.order_by("pk").values_list("amount", flat=True)) == [
        500 * UNITS,
        75_000,
    ]
    assert b"Choose an amount." in post(customer, preset="other", amount="").content


def test_the_usual_amount_is_chosen_at_first_and_the_button_says_it(customer: Client) -> None:
    page = customer.get(PAGE).content.decode()
    assert 'name="preset" value="2000" checked' in page
    assert "Pay ¥2,000.00" in page


@pytest.mark.parametrize("amount", ["0.99", "1.001", "9999999.01", "", "ten"])
def test_a_bad_amount_is_told_beside_its_field(customer: Client, amount: str) -> None:
    answered = post(customer, amount=amount)
    assert answered.status_code == 422
    form: Any = answered.context["form"]
    assert list(form.errors) == ["amount"]
    assert not Recharge.objects.exists()


def test_the_same_form_again_after_the_payment_pays_nothing_more(
    people: Payers, customer: Client
) -> None:
    token = str(uuid4())
    for _ in range(3):
        pay = post(customer, amount="10", token=token)["Location"]
        customer.post(pay, {"ending": "paid"})
    assert Recharge.objects.count() == 1
    assert spendable(people.wallet) == 10 * UNITS
    receipt = customer.get(pay)
    assert receipt["Location"] == pay.removesuffix("pay/")


def test_what_was_paid_last_is_offered_first_of_all(people: Payers) -> None:
    assert presets(people.wallet) == [500 * UNITS, 2_000 * UNITS, 5_000 * UNITS]
    for amount in (70, 80, 80, 500):
        answer(completed(started(people, amount)))
    started(people, 90)  # never paid
    assert presets(people.wallet) == [amount * UNITS for amount in (80, 500, 2_000, 5_000)]


def test_what_is_owed_is_paid_first_and_the_pace_says_how_long_it_lasts(
    people: Payers, customer: Client
) -> None:
    now = Outlook(balance=0, owed=30 * UNITS, per_hour=10 * UNITS)
    assert now.after(20 * UNITS) == 0
    assert now.after(50 * UNITS) == 20 * UNITS
    assert now.hours(130 * UNITS) == 10
    assert Outlook(5, 0, None).hours(100) is None
    on_credit = Outlook(-20 * UNITS, 0, 10 * UNITS, credit_limit=50 * UNITS)
    assert (on_credit.after(10 * UNITS), on_credit.hours(10 * UNITS)) == (-10 * UNITS, 4)
    hour = timezone.now().replace(minute=0, second=0, microsecond=0)
    UsageHour.objects.create(
        wallet=people.wallet,
        hour=hour,
        kind="settle",
        mode="native_text",
        chatbot="",
        entries=1,
        spendable=-10 * UNITS,
        revenue=10 * UNITS,
    )
    page = customer.get(f"{PAGE}?amount=240").content.decode()
    assert "lasts about 24 h at the pace of the last 24 h" in page
