"""kill -9 between any two steps of a charged call: no uncharged call, no charge without a call."""

import itertools
import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from poolsite.runtime.redis_server import RedisServer
from tests.billing.calls.call_process import FEE, RATED, SECOND_PRICE
from tests.billing.calls.call_support import PRICE
from tests.live.servers import Site

pytestmark = pytest.mark.prove

PROGRAM = "tests/billing/calls/call_process.py"
_COUNT = itertools.count(1)


class Exchange:
    """A database and a Redis, and processes that make calls on them."""

    def __init__(self, folder: Path, redis_url: str) -> None:
        self.site = Site(folder, redis_url)
        folder.mkdir()
        self.site.migrate()

    def slug(self, word: str = "p") -> str:
        """Return a new name for a pool that the first process makes, and for its account."""
        return f"{word}{next(_COUNT)}"

    def killed(self, point: str, verb: str, *arguments: str) -> None:
        """Run until the process dies at that point."""
        crash = {"POOLSITE_CRASH_AT": point, "POOLSITE_CHAOS": "1"}
        done = self.site.forked(PROGRAM, verb, *arguments, **crash)
        assert done.returncode == -signal.SIGKILL, f"{point}: {done.stdout}\n{done.stderr[-2000:]}"

    def recover(self, slug: str, running_seconds: float) -> dict[str, Any]:
        """Return the judgement after the surviving workers have recovered."""
        told = self.site.run(PROGRAM, "recover", slug, str(running_seconds))
        return dict(json.loads(told.splitlines()[-1]))

    def call(self, slug: str) -> tuple[int, dict[str, Any]]:
        status, body = json.loads(self.site.run(PROGRAM, "call", slug).splitlines()[-1])
        return status, body


@pytest.fixture(scope="module")
def exchange(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Exchange]:
    folder = tmp_path_factory.mktemp("exchange")
    redis = RedisServer(folder=folder / "redis", append_only=False).start()
    try:
        yield Exchange(folder / "site", redis.url)
    finally:
        redis.stop()


@pytest.mark.parametrize(
    ("point", "began"),
    [
        ("calls.after_hold", False),
        ("calls.after_voucher", False),
        ("calls.after_sent", False),
        ("calls.after_call", True),
        ("calls.after_settle", True),
    ],
)
def test_a_beginning_that_is_killed_is_charged_if_the_call_began_and_only_then(
    exchange: Exchange, point: str, began: bool
) -> None:
    slug = exchange.slug()
    exchange.killed(point, "call", slug)
    judged = exchange.recover(slug, 1.2)
    assert judged["began"] == began
    wanted = {"spent": PRICE * began, "held": 0, "settled": int(began), "open": 0}
    assert judged["before"] == judged["after"] == wanted
    assert judged["notes"] == ["c"] * began  # a note of the next interval, an hour from now


@pytest.mark.parametrize("point", ["calls.after_hold", "calls.after_voucher", "calls.after_sent"])
def test_the_same_call_can_be_made_at_once_after_a_death(exchange: Exchange, point: str) -> None:
    slug = exchange.slug()
    exchange.killed(point, "call", slug)
    assert exchange.call(slug)[0] == 200
    judged = exchange.recover(slug, 1.2)
    assert judged["after"] == {"spent": PRICE, "held": 0, "settled": 1, "open": 0}


@pytest.mark.parametrize(
    "point", ["calls.after_call", "calls.after_take_back", "calls.after_give_back"]
)
def test_a_refusal_that_is_killed_costs_nothing(exchange: Exchange, point: str) -> None:
    slug = exchange.slug()
    exchange.killed(point, "call", slug, "0", "3600")
    judged = exchange.recover(slug, 1.2)
    assert not judged["began"]
    assert judged["after"] == {"spent": 0, "held": 0, "settled": 0, "open": 0}
    assert judged["notes"] == []


def charged_exactly(judged: dict[str, Any], interval_us: int = 1_000_000) -> None:
    """Check that exactly the intervals that had started when the call ended are charged."""
    started = (judged["ended_us"] - judged["started_us"]) // interval_us + 1
    assert judged["began"]
    assert judged["after"] == {
        "spent": PRICE * started,
        "held": 0,
        "settled": started,
        "open": 0,
    }
    assert judged["notes"] == []


@pytest.mark.parametrize(
    "point",
    [
        "calls.next.after_hold",
        "calls.next.after_voucher",
        "calls.next.after_sent",
        "calls.next.after_renew",
        "calls.after_settle:2",
    ],
)
def test_an_interval_whose_worker_is_killed_is_charged_once(exchange: Exchange, point: str) -> None:
    slug = exchange.slug()
    exchange.killed(point, "sweeps", slug)
    charged_exactly(exchange.recover(slug, 2.3))


@pytest.mark.parametrize("point", ["calls.next.after_voucher", "calls.next.after_renew"])
def test_an_interval_that_was_under_way_when_the_call_ended_is_charged_once(
    exchange: Exchange, point: str
) -> None:
    slug = exchange.slug()
    exchange.killed(point, "sweeps", slug)
    charged_exactly(exchange.recover(slug, 0))


@pytest.mark.parametrize(
    "point", ["calls.ended.after_hold", "calls.ended.after_settle", "calls.ended.after_settle:2"]
)
def test_an_ended_call_whose_worker_is_killed_is_charged_once(
    exchange: Exchange, point: str
) -> None:
    slug = exchange.slug()
    exchange.killed(point, "neglect", slug, "2.3")
    charged_exactly(exchange.recover(slug, 0))


def rated_exactly(judged: dict[str, Any]) -> None:
    """Check that each second that had started is charged once, with one connection fee."""
    seconds = -(-(judged["ended_us"] - judged["started_us"]) // 1_000_000)
    assert judged["began"]
    assert judged["after"]["spent"] == SECOND_PRICE * max(seconds, 1) + FEE
    assert (judged["after"]["held"], judged["after"]["open"]) == (0, 0)
    assert judged["notes"] == []


@pytest.mark.parametrize(
    "point",
    [
        "calls.next.after_hold",
        "calls.next.after_voucher",
        "calls.next.after_sent",
        "calls.next.after_renew",
        "calls.closing.after_settle",
        "calls.closing.after_settle:2",
    ],
)
def test_a_rated_interval_whose_worker_is_killed_costs_what_was_used(
    exchange: Exchange, point: str
) -> None:
    slug = exchange.slug(RATED)
    exchange.killed(point, "sweeps", slug, "3")
    rated_exactly(exchange.recover(slug, 4.5))


@pytest.mark.parametrize(
    "point", ["calls.next.after_voucher", "calls.next.after_renew", "calls.closing.after_settle"]
)
def test_a_rated_interval_that_was_under_way_costs_what_was_used(
    exchange: Exchange, point: str
) -> None:
    slug = exchange.slug(RATED)
    exchange.killed(point, "sweeps", slug, "3")
    rated_exactly(exchange.recover(slug, 0))


@pytest.mark.parametrize(
    "point",
    [
        "calls.ended.after_hold",
        "calls.ended.after_settle",
        "calls.ended.after_settle:2",
        "calls.closing.after_settle",
    ],
)
def test_a_rated_call_that_ended_meanwhile_costs_what_was_used(
    exchange: Exchange, point: str
) -> None:
    slug = exchange.slug(RATED)
    exchange.killed(point, "neglect", slug, "7.4", "3")
    rated_exactly(exchange.recover(slug, 0))


def test_the_books_agree_in_the_end(exchange: Exchange) -> None:
    exchange.site.run(PROGRAM, "audit")
