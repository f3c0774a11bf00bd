"""How long balances last: the urgency, the order of the list, the lines on the portal."""

from datetime import UTC, datetime

import pytest
from django.utils import timezone

from billing.models import UsageHour, Wallet
from billing.money import UNITS
from billing.selectors import wallets
from billing.selectors.wallets import WalletQuery
from billing.views.lasting import lasting
from poolsite import access
from poolsite.console import tables
from poolsite.live.socket import TOPICS_PER_SOCKET
from poolsite.runtime.redis_server import RedisServer
from tests.billing.pages.page_world import Customer, browser, customer, lived, operator

pytestmark = pytest.mark.django_db(transaction=True)

NOW = datetime(2026, 11, 21, 10, 30, tzinfo=UTC)


@pytest.fixture
def made(clean_redis: RedisServer) -> Customer:
    """A wallet with data for every page."""
    return lived()


@pytest.mark.parametrize(
    ("units", "per_hour", "level"),
    [(0, 1, "bad"), (23, 1, "bad"), (24, 1, "warn"), (71, 1, "warn"), (72, 1, "")],
)
def test_a_balance_is_urgent_within_a_day_and_noted_within_three(
    units: int, per_hour: int, level: str
) -> None:
    found = lasting(units, per_hour, now=NOW)
    assert found is not None
    assert found.level == level


@pytest.mark.parametrize(("units", "per_hour"), [(5, None), (5, 0), (24 * 366, 1)])
def test_no_moment_is_named_without_spending_or_beyond_a_year(
    units: int, per_hour: int | None
) -> None:
    assert lasting(units, per_hour, now=NOW) is None


def test_the_list_of_balances_begins_with_what_runs_out_first(made: Customer) -> None:
    for slug, units in (("long", 1_000), ("short", 10), ("idle", 0)):
        wallet = customer(slug).wallet
        Wallet.objects.filter(pk=wallet.pk).update(spendable=100 * UNITS)
        if units:
            hour = timezone.now().replace(minute=0, second=0, microsecond=0)
            spent = 1_000 * UNITS // units
            UsageHour.objects.create(wallet=wallet, hour=hour, kind="hold", spendable=-spent)
    boss = access.principal_of_user(operator())
    slugs = [wallet.slug for wallet in WalletQuery(sort="lasts").page(boss).rows]
    assert [slug for slug in slugs if slug != made.wallet.slug] == ["short", "long", "idle"]
    back = [wallet.slug for wallet in WalletQuery(sort="-lasts").page(boss).rows]
    assert back.index("idle") < back.index("long") < back.index("short")
    page = browser(operator("boss-2")).get("/billing/accounts/")
    assert "Lasts until" in page.content.decode()
    assert page.context["rows"][0]["wallet"].slug == "short"


def test_the_portal_says_when_the_balance_is_below_the_own_alert(made: Customer) -> None:
    client = browser(made.people["owner"])
    assert "Low balance." not in client.get("/accounts/evergreen/").content.decode()
    Wallet.objects.filter(pk=made.wallet.pk).update(alert_below=1_000_000 * UNITS)
    page = client.get("/accounts/evergreen/").content.decode()
    assert "Low balance." in page
    assert "Top up" in page


def test_a_page_can_watch_a_topic_of_each_row() -> None:
    """The lists of accounts and of campaigns do. A topic too many would be refused."""
    beside = 2  # the incidents, and one for the page
    for rows in (wallets.PAGE_ROWS, tables.PAGE_ROWS):
        assert rows + beside <= TOPICS_PER_SOCKET
