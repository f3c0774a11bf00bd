"""Fixtures of the tests of billing's API."""

from collections.abc import AsyncIterator, Iterator

import pytest
from pytest_django import Settings

from poolsite.access.rights.hub import HUB
from poolsite.runtime.redis_server import RedisServer
from tests.billing.api.book_keepers import Office, make_office
from tests.billing.api.shop import Caller, Shop, calling, make_shop
from tests.numbers.people import in_thread


@pytest.fixture(autouse=True)
def _quiet_hub() -> Iterator[None]:
    """Ensure that no listener outlives its test."""
    yield
    HUB.stop()


@pytest.fixture
async def shop(transactional_db: None, clean_redis: RedisServer) -> Shop:
    """An account with 100.0000 to spend."""
    return await in_thread(make_shop)()


@pytest.fixture
async def caller(shop: Shop) -> AsyncIterator[Caller]:
    """The shop's own machine."""
    async with calling(shop) as caller:
        yield caller


@pytest.fixture
def office(transactional_db: None, clean_redis: RedisServer, settings: Settings) -> Office:
    """The account with its people. No second factor unless a test wants it."""
    settings.SECOND_FACTOR_FOR_MONEY = False
    settings.BILLING_FOUR_EYES_ABOVE = 0
    settings.PAYMENT_VARIANTS = {"demo": ("billing.recharging.demo_provider.DemoProvider", {})}
    settings.DEMO = True
    return make_office()
