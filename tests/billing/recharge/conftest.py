"""The people of the tests. Both providers are open; no second factor unless a test wants it."""

import pytest
from django.test import Client
from payments import core
from pytest_django import Settings

from poolsite.access.models import User
from tests.billing.recharge.money_people import (
    API_KEY,
    SECRET,
    Payers,
    browser,
    operator,
    payers,
)


@pytest.fixture
def people() -> Payers:
    return payers()


@pytest.fixture
def customer(people: Payers) -> Client:
    return browser(people.owner)


@pytest.fixture
def olga() -> User:
    return operator("olga", "finance")


@pytest.fixture(autouse=True)
def providers(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DEMO = True
    settings.SECOND_FACTOR_FOR_MONEY = False
    settings.BILLING_FOUR_EYES_ABOVE = 0
    settings.PAYMENT_VARIANTS = {
        "demo": ("billing.recharging.demo_provider.DemoProvider", {}),
        "stripe": (
            "billing.recharging.stripe_provider.StripeProvider",
            {"api_key": API_KEY, "endpoint_secret": SECRET},
        ),
    }
    monkeypatch.setattr(core, "PROVIDER_CACHE", {})
