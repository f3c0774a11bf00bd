"""Books: what is checked in plain words, with its result, and what to do when it fails."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from billing import servers
from billing.models import MoneyOrder, Wallet
from billing.persistence.running import persist_one
from billing.selectors import lag
from billing.services import safe_mode
from poolsite.runtime.redis_server import RedisServer
from tests.billing.pages.page_world import Customer, browser, customer, operator

pytestmark = pytest.mark.django_db(transaction=True)
PAGE = "/billing/books/"


@pytest.fixture
def made(clean_redis: RedisServer) -> Customer:
    return customer()


@pytest.fixture
def boss(made: Customer) -> Client:
    return browser(operator())


def shard(**more: Any) -> lag.ShardLag:
    given: dict[str, Any] = {"age_seconds": 2.0, "error": ""} | more
    counts = dict.fromkeys(
        ("duration_ms", "accounts", "entries", "left", "lag_seconds", "faults", "refused"), 0
    )
    return lag.ShardLag(shard=0, **{**counts, **given})


def failed(boss: Client) -> list[str]:
    return [check.title for check in boss.get(PAGE).context["failed"]]


def test_all_is_well_is_said_with_its_moment(boss: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lag, "shard_lags", lambda: [shard(lag_seconds=3)])
    page = boss.get(PAGE).content.decode()
    assert failed(boss) == []
    assert "The books are up to date" in page
    assert "longest wait in the last run: 3 s" in page
    assert "As of " in page


@pytest.mark.parametrize(
    ("state", "title"),
    [
        ({"age_seconds": None}, "Changes are written to the database"),
        ({"age_seconds": 86_400.0}, "Changes are written to the database"),
        ({"error": "OperationalError"}, "The last run had no errors"),
        ({"faults": 1}, "The last run had no errors"),
    ],
)
def test_a_shard_that_fails_is_told_with_its_remedy(
    boss: Client, monkeypatch: pytest.MonkeyPatch, state: dict[str, Any], title: str
) -> None:
    monkeypatch.setattr(lag, "shard_lags", lambda: [shard(**state)])
    assert failed(boss) == [title]
    assert "1 check failed" in boss.get(PAGE).content.decode()


def test_orders_that_wait_and_accounts_in_safe_mode_are_told(
    made: Customer, boss: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lag, "shard_lags", lambda: [shard()])
    order = MoneyOrder.objects.create(
        wallet=made.wallet, operation_id="adjust:1", kind="credit", amount=1
    )
    assert failed(boss) == []  # a difference that lasts only a moment is no failure
    old = timezone.now() - timedelta(seconds=120)
    MoneyOrder.objects.filter(pk=order.pk).update(created_at=old)
    Wallet.objects.update(recovering_since=old)
    assert failed(boss) == [
        "Payments and adjustments reach the balance",
        "Every account accepts holds",
    ]
    assert "1 account in safe mode" in boss.get(PAGE).content.decode()


def test_the_audit_page_says_which_accounts_redis_lost_and_since_when(
    made: Customer, boss: Client
) -> None:
    persist_one(made.wallet)
    assert "Lost by Redis" not in boss.get("/billing/audit/").content.decode()
    with servers.path(made.wallet).client() as client:
        client.flushall()
    assert safe_mode.watch()["rebuilt"] == 1
    page = boss.get("/billing/audit/")
    (loss,) = page.context["losses"]
    assert loss.account == made.wallet.account
    made.wallet.refresh_from_db()
    assert loss.written_at == made.wallet.persisted_at
    assert "Lost by Redis in the last 30 days" in page.content.decode()


def test_it_is_for_operators_only(made: Customer) -> None:
    assert browser(made.people["owner"]).get(PAGE).status_code == 403
