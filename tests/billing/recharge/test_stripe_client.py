"""Our requests to Stripe: once for each top-up, despite repeats, in the smallest unit."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from billing.models import PaymentMethod, Recharge, Wallet
from billing.money import UNITS, MoneyError
from billing.recharging import stripe_events, variants
from billing.services import auto_top_up, payment_methods, recharges_asking
from poolsite.operations.models import Incident
from tests.billing.recharge.money_people import (
    API_KEY,
    SECRET,
    answer,
    browser,
    completed,
    event,
    payers,
    session,
    spendable,
    started,
)
from tests.billing.recharge.stripe_server import StripeServer, stripe_server

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


@pytest.fixture
def stripe_api(settings: Any, providers: None) -> Iterator[StripeServer]:
    with stripe_server() as server:
        handler, given = settings.PAYMENT_VARIANTS["stripe"]
        settings.PAYMENT_VARIANTS = {
            "stripe": (handler, {**given, "api_key": API_KEY, "api_base": server.url})
        }
        assert given["endpoint_secret"] == SECRET
        yield server


def test_a_checkout_is_opened_once_for_the_exact_amount(stripe_api: StripeServer) -> None:
    people = payers()
    recharge = started(people, 100)
    provider = variants.provider_of("stripe")
    first = provider.open(recharge)
    assert provider.open(Recharge.objects.get(pk=recharge.pk)) == first
    assert provider.open(recharge) == first
    ((path, asked, key),) = stripe_api.asked
    assert (path, key) == ("/v1/checkout/sessions", f"recharge:{recharge.token}")
    assert asked["line_items[0][price_data][unit_amount]"] == "10000"
    assert asked["line_items[0][price_data][currency]"] == "cny"
    assert asked["client_reference_id"] == recharge.token
    assert asked["success_url"].endswith(f"/accounts/acme/top-ups/{recharge.pk}/")
    assert "payment_intent_data[setup_future_usage]" not in asked
    recharge = Recharge.objects.get(pk=recharge.pk)
    assert answer(completed(recharge, id=recharge.transaction_id)) == (200, "credited")


def test_two_openings_at_once_get_the_same_checkout(stripe_api: StripeServer) -> None:
    recharge = started(payers(), 100)
    provider = variants.provider_of("stripe")
    other = Recharge.objects.get(pk=recharge.pk)  # read before the first one was saved
    assert provider.open(recharge) == provider.open(other)
    assert len(stripe_api.made) == 1


def test_a_provider_that_is_away_leaves_the_top_up_waiting(stripe_api: StripeServer) -> None:
    people = payers()
    recharge = started(people, 100)
    client = browser(people.owner)
    stripe_api.failing = 9
    page = f"/accounts/acme/top-ups/{recharge.pk}/pay/"
    assert client.get(page).status_code == 502
    stripe_api.failing = 0
    answered = client.get(page)
    assert b"https://checkout.stripe.com/c/pay/cs_1" in answered.content
    recharge.refresh_from_db()
    assert recharge.status == "waiting"


def with_card(below: int = 50) -> Any:
    """Return an account that stored a card at a checkout, reported with its payment intent."""
    people = payers()
    recharge = started(people, 40, keep_method=True)
    intent = {
        "id": f"pi_{recharge.pk}",
        "object": "payment_intent",
        "amount": 4_000,
        "amount_received": 4_000,
        "currency": "cny",
        "customer": "cus_7",
        "payment_method": "pm_7",
        "setup_future_usage": "off_session",
        "metadata": {"recharge": recharge.token, "account": "acme"},
    }
    assert answer(event("payment_intent.succeeded", intent)) == (200, "noted")
    assert answer(completed(recharge)) == (200, "credited")
    Wallet.objects.filter(pk=people.wallet.pk).update(
        top_up_below=below * UNITS, top_up_amount=100 * UNITS, spendable=40 * UNITS
    )
    people.wallet.refresh_from_db()
    return people


def paid_automatically(recharge: Recharge) -> dict[str, Any]:
    return event(
        "payment_intent.succeeded",
        {
            "id": recharge.transaction_id,
            "amount_received": 10_000,
            "currency": "cny",
            "metadata": {"recharge": recharge.token, "automatic": "1"},
        },
    )


def test_a_kept_card_is_charged_off_session_and_credited_by_its_event(
    stripe_api: StripeServer,
) -> None:
    people = with_card()
    method = PaymentMethod.objects.get()
    assert (method.reference, method.customer) == ("pm_7", "cus_7")
    assert auto_top_up.top_up(people.wallet) is not None
    ((path, asked, key),) = stripe_api.asked
    made = Recharge.objects.get(is_automatic=True)
    assert (path, key) == ("/v1/payment_intents", f"recharge:{made.token}")
    assert (asked["amount"], asked["customer"], asked["payment_method"]) == (
        "10000",
        "cus_7",
        "pm_7",
    )
    assert (asked["off_session"], asked["confirm"]) == ("true", "true")
    assert spendable(people.wallet) == 40 * UNITS  # the event reports the payment, not the answer
    assert answer(paid_automatically(made)) == (200, "credited")
    assert answer(paid_automatically(made)) == (200, "repeat")
    assert spendable(people.wallet) == 140 * UNITS


def test_a_declined_card_ends_the_top_up_and_is_told(stripe_api: StripeServer) -> None:
    people = with_card()
    stripe_api.failing, stripe_api.status = 9, 402
    auto_top_up.top_up(people.wallet)
    made = Recharge.objects.get(is_automatic=True)
    assert made.status == "rejected"
    assert Incident.objects.get(type="billing.auto_top_up").until is None
    assert spendable(people.wallet) == 40 * UNITS


def test_an_outage_leaves_it_waiting_and_one_charge_comes_of_it(stripe_api: StripeServer) -> None:
    people = with_card()
    stripe_api.failing = 9
    auto_top_up.top_up(people.wallet)
    assert Recharge.objects.get(is_automatic=True).status == "waiting"
    assert auto_top_up.top_up(people.wallet) is None
    stripe_api.failing = 0
    Recharge.objects.filter(is_automatic=True).update(created=timezone.now() - timedelta(minutes=5))
    auto_top_up.top_up_due()
    made = Recharge.objects.get(is_automatic=True)
    assert answer(paid_automatically(made)) == (200, "credited")
    assert len({key for _, _, key in stripe_api.asked}) == 1
    assert len(stripe_api.made) == 1


@pytest.mark.parametrize(
    ("units", "currency", "coins"),
    [
        (12_3400, "CNY", 1234),
        (5000_0000, "JPY", 5000),
        (1_2340, "KWD", 1234),
        (1_0000, "usd", 100),
    ],
)
def test_amounts_are_told_in_the_currency_s_coins_and_back(
    units: int, currency: str, coins: int
) -> None:
    assert stripe_events.to_stripe(units, currency) == coins
    assert stripe_events.from_stripe(coins, currency) == units


@pytest.mark.parametrize(("units", "currency"), [(1, "CNY"), (5000, "JPY"), (5, "KWD")])
def test_what_is_finer_than_a_coin_is_not_told(units: int, currency: str) -> None:
    with pytest.raises(MoneyError):
        stripe_events.to_stripe(units, currency)


def silent(recharge: Recharge) -> None:
    """Let eleven minutes pass without an event."""
    before = timezone.now() - timedelta(minutes=11)
    Recharge.objects.filter(pk=recharge.pk).update(modified=before)


def test_a_payment_whose_event_was_lost_is_asked_for_and_credited_once(
    stripe_api: StripeServer,
) -> None:
    people = payers()
    recharge = started(people, 100)
    variants.provider_of("stripe").open(recharge)
    assert recharges_asking.ask_providers() == {"asked": 0, "heard": 0}  # it was opened just now
    silent(recharge)
    going_on = session(recharge, id="cs_1", payment_status="unpaid", status="open")
    stripe_api.states["cs_1"] = going_on
    assert recharges_asking.ask_providers() == {"asked": 1, "heard": 0}
    assert recharges_asking.ask_providers() == {"asked": 0, "heard": 0}
    silent(recharge)
    stripe_api.states["cs_1"] = session(recharge, id="cs_1")
    assert recharges_asking.ask_providers() == {"asked": 1, "heard": 1}
    assert answer(completed(recharge, id="cs_1")) == (200, "repeat")  # the event arrives now
    silent(recharge)
    assert recharges_asking.ask_providers() == {"asked": 0, "heard": 0}
    assert spendable(people.wallet) == 100 * UNITS


def test_a_checkout_that_expired_unheard_is_closed_and_one_that_cannot_be_asked_waits(
    stripe_api: StripeServer,
) -> None:
    people = payers()
    recharge, other = started(people, 100), started(people, 50)
    for each in (recharge, other):
        variants.provider_of("stripe").open(each)
        silent(each)
    expired = session(recharge, id="cs_1", payment_status="unpaid", status="expired")
    stripe_api.states["cs_1"] = expired
    assert recharges_asking.ask_providers() == {"asked": 2, "heard": 1}
    recharge.refresh_from_db()
    other.refresh_from_db()
    assert (recharge.status, other.status) == ("cancelled", "waiting")


def test_a_payment_that_nobody_finished_is_closed_after_a_week() -> None:
    people = payers()
    recharge = started(people, 100)
    assert recharges_asking.close_unfinished() == {"closed": 0}
    week = timezone.now() - timedelta(days=8)
    Recharge.objects.filter(pk=recharge.pk).update(created=week)
    assert recharges_asking.close_unfinished() == {"closed": 1}
    assert answer(completed(recharge)) == (200, "credited")
    assert spendable(people.wallet) == 100 * UNITS


def test_a_removed_card_is_forgotten_by_stripe_too(stripe_api: StripeServer) -> None:
    people = with_card()
    payment_methods.method_remove(PaymentMethod.objects.get(), actor=people.owner)
    assert [path for path, _, _ in stripe_api.asked] == ["/v1/payment_methods/pm_7/detach"]
    assert auto_top_up.top_up(people.wallet) is None


def test_a_card_that_stripe_does_not_forget_is_charged_no_more(stripe_api: StripeServer) -> None:
    people = with_card()
    stripe_api.failing = 9
    payment_methods.method_remove(PaymentMethod.objects.get(), actor=people.owner)
    assert PaymentMethod.objects.get().removed_at is not None
    assert auto_top_up.top_up(people.wallet) is None


def test_an_amount_finer_than_the_currency_fails_for_its_own_account_alone(
    stripe_api: StripeServer,
) -> None:
    people = with_card()
    Wallet.objects.filter(pk=people.wallet.pk).update(top_up_amount=100 * UNITS + 1)
    assert auto_top_up.top_up_due()["begun"] == 1
    assert Recharge.objects.get(is_automatic=True).status == "rejected"
    assert Incident.objects.get(type="billing.auto_top_up").until is None
    assert stripe_api.asked == []
