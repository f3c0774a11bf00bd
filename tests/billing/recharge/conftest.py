"""Both providers stand open, and nobody is asked for a second factor unless a test wants it."""

import pytest
from payments import core
from pytest_django import Settings

from tests.billing.recharge.money_people import API_KEY, SECRET


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
