"""The daily limit survives a loss of Redis: what was spent today counts again, from SQL."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from billing import servers, wallet
from billing.models import Message, Wallet
from billing.persistence.running import persist_one
from billing.services import safe_mode
from billing.services.days import day_start
from billing.services.moving import wallet_move
from billing.services.rebuilding_drill import wallet_rebuild
from billing.services.wallet_settings import settings_of
from poolsite.access.models import Account
from poolsite.moments import moment_of
from poolsite.runtime.redis_server import RedisServer
from tests.billing.books.book_support import figures, held, live_wallet, moved, reported, run
from tests.billing.books.test_running import green
from tests.support.clock import ScriptClock
from tests.support.parts import starts_processes

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

LIMIT = 2_500
NOON = 12
SESSION = wallet.Quote({"native_session": 100}, 7)


def zone_at_noon() -> str:
    """Return a zone in which it is about noon, so that no midnight comes during the test."""
    ahead = NOON - datetime.now(UTC).hour
    return f"Etc/GMT{-ahead:+d}" if ahead else "Etc/GMT"  # POSIX: -8 is ahead of UTC


def limited(zone: str = "", limit: int = LIMIT) -> Wallet:
    row = live_wallet(spendable=100_000, daily_limit=limit)
    zone = zone or zone_at_noon()
    Account.objects.filter(pk=row.account_id).update(zone=zone)
    row.account.zone = zone
    return row


def spend(row: Wallet) -> None:
    """Use 1 200 of the day's 2 500 units: 300 charged, 800 held, 100 for a session message."""
    run(row, wallet.configure(row.slug, settings_of(row)))
    for name in ("charged", "open", "failed"):
        assert held(row, name, sent=True).answer == "held"
    reported(row, "charged")
    reported(row, "failed", "")
    session = wallet.HoldRequest("session", "hash", SESSION)
    assert run(row, wallet.session(row.slug, session)).answer == "settled"
    assert figures(row).spent == 1_200


def emptied(row: Wallet) -> None:
    """Let Redis lose everything after the last batch was written, and the watch rebuild it."""
    persist_one(row)
    with servers.path(row).client() as client:
        client.flushall()
    assert safe_mode.watch()["rebuilt"] == 1


def drilled(row: Wallet) -> None:
    wallet_rebuild(row, actor="test")


def to_another(row: Wallet) -> None:
    wallet_move(row, "heavy", actor="test")


@pytest.fixture
@starts_processes
def heavy(tmp_path_factory: pytest.TempPathFactory, settings: Any) -> Iterator[RedisServer]:
    """A second Redis, named `heavy`."""
    server = RedisServer(tmp_path_factory.mktemp("heavy"), append_only=False).start()
    settings.BILLING_REDIS_URLS = {"heavy": server.url}
    yield server
    server.stop()


@pytest.mark.parametrize("way", [emptied, drilled])
def test_what_was_spent_today_counts_after_a_rebuild(way: Callable[[Wallet], None]) -> None:
    row = limited()
    spend(row)
    way(row)
    _goes_on(row)


def test_what_was_spent_today_counts_on_another_server(heavy: RedisServer) -> None:
    row = limited()
    spend(row)
    to_another(row)
    assert row.redis == "heavy"
    _goes_on(row)


def _goes_on(row: Wallet) -> None:
    """Check that the limit refuses as it would without the rebuild, and that returns raise it."""
    row.refresh_from_db()
    assert row.generation > 1
    assert (figures(row).spent, figures(row).settings.daily_limit) == (1_200, LIMIT)
    assert [held(row, name).answer for name in ("next", "beyond")] == ["held", "daily limit"]
    reported(row, "open", "")
    assert held(row, "beyond").answer == "held"
    assert figures(row).spent == 2_000
    persist_one(row)
    green()


def test_only_what_was_held_since_midnight_of_the_accounts_zone_counts() -> None:
    row = limited()
    spend(row)
    persist_one(row)
    midnight = day_start(row.account)
    Message.objects.filter(message_id="charged").update(held_at=midnight)
    Message.objects.filter(message_id="open").update(held_at=midnight - timedelta(microseconds=1))
    wallet_rebuild(row, actor="test")
    assert figures(row).spent == 400
    reported(row, "open", "")  # a return of yesterday's hold
    assert figures(row).spent == 400


def test_a_session_message_counts_on_the_day_on_which_it_is_paid() -> None:
    row = limited()
    moved(row, "all", "debit", 100_000)
    run(row, wallet.session(row.slug, wallet.HoldRequest("s", "hash", SESSION)))
    assert figures(row).unpaid == 1
    moved(row, "some", "recharge", 100)
    assert run(row, wallet.pay_unpaid(row.slug)).message_ids == ("s",)
    persist_one(row)
    before = figures(row).spent
    yesterday = timezone.now() - timedelta(days=1)
    assert Message.objects.filter(message_id="s").update(held_at=yesterday) == 1  # midnight
    wallet_rebuild(row, actor="test")
    assert figures(row).spent == before == 100


@pytest.mark.parametrize("hours", [73, -73])
def test_the_day_is_that_of_the_clock_of_redis(
    test_clock: ScriptClock, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    """The worker's clock differs from Redis' by three days."""
    at = (timezone.now() + timedelta(hours=hours)).replace(hour=NOON)
    test_clock.set(int(at.timestamp()) * 1_000_000)
    monkeypatch.setattr(servers, "now", lambda _row: moment_of(test_clock.now_us))
    row = limited("UTC")
    run(row, wallet.configure(row.slug, settings_of(row), now=at))
    assert held(row, "open", sent=True).answer == "held"
    persist_one(row)
    wallet_rebuild(row, actor="test")
    assert figures(row).spent == 800
    midnight_us = test_clock.advance((24 - NOON) * 3600)
    with servers.path(row).client() as client:
        client.hset(row.tag, "clock", midnight_us)  # the timers have visited the wallet until then
    answers = [held(row, name).answer for name in "abcd"]
    assert answers == ["held", "held", "held", "daily limit"]
