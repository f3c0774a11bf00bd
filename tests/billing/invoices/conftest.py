"""The people of the tests, and their data in the books. No second factor is required."""

import pytest
from pytest_django import Settings

from billing.models import Wallet
from poolsite.access.models import User
from tests.billing.invoices.invoice_books import set_up
from tests.billing.recharge.money_people import Payers, operator, payers


@pytest.fixture(autouse=True)
def alone(settings: Settings) -> None:
    settings.SECOND_FACTOR_FOR_MONEY = False
    settings.BILLING_FOUR_EYES_ABOVE = 0


@pytest.fixture
def people() -> Payers:
    set_up()
    return payers()


@pytest.fixture
def wallet(people: Payers) -> Wallet:
    return people.wallet


@pytest.fixture
def olga() -> User:
    return operator("olga", "finance")


@pytest.fixture
def omar() -> User:
    return operator("omar", "finance")
