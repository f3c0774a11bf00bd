"""kill -9 and SIGSTOP of real workers of the books, at each point, from several seeds."""

import os
import random
import signal

import pytest

from billing import wallet as commands
from poolsite import hotpath
from tests.billing.books.books_worker import BooksWorker, Traffic
from tests.support.database import lay_migrated
from tests.support.waiting import until

pytestmark = pytest.mark.prove

SEEDS = range(int(os.environ.get("BOOKS_SEEDS", "5")))
SPENDABLE = 20_000  # with the promotions
PROMOTIONS = [1_100, 2_500]
CREDIT = 3_000
POINTS = (
    "billing.batch_closed",
    "billing.before_commit",
    "billing.after_commit",
    "billing.after_trim",
)


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def worker(request, tmp_path_factory, redis_server):
    if request.param == "sqlite":
        path = tmp_path_factory.mktemp("books") / "books.sqlite3"
        lay_migrated(path)
        url = f"sqlite:///{path}"
    else:
        url = request.getfixturevalue("postgres_server").create_database()
    with redis_server.client() as client:
        client.flushall()
    hotpath.reset()
    made = BooksWorker(url)
    yield made
    made.end()


@pytest.fixture
def wallets(worker):
    """A function that makes three new wallets.

    Those of earlier tests stay, and are audited as well.
    """

    def make(name):
        slugs = [f"{name}-{letter}" for letter in "abc"]
        money = {"spendable": SPENDABLE - sum(PROMOTIONS), "credit": CREDIT}
        worker.do("make", slugs=slugs, promotions=PROMOTIONS, **money)
        return slugs

    return make


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_worker_killed_at_any_point_loses_and_doubles_nothing(worker, wallets, point, seed):
    chance = random.Random(f"{point} {seed}")
    traffic = Traffic(wallets(f"{point[8:]}-{seed}".replace("_", "-")), chance, SPENDABLE, CREDIT)
    traffic.run(chance.randint(5, 60))
    # One account per round: when it dies, the next account's batch is closed and computed.
    killed = worker.ask("persist", at=point, at_once=chance.choice([1_000, 1]))
    assert killed["signal"] == signal.SIGKILL
    assert worker.do("audit") == ""
    traffic.run(chance.randint(0, 30))
    figures = worker.do("persist")
    assert (figures["faults"], figures["refused"], figures["failed"]) == (0, 0, 0)
    assert worker.do("audit") == ""
    traffic.check()
    rows = {row[0]: row[1] for row in worker.do("rows")}
    assert {slug: rows[slug] for slug in traffic.slugs} == traffic.balances


@pytest.mark.parametrize("passing", [1, 2, 3])
def test_a_batch_that_sql_has_and_redis_has_not_trimmed_is_not_written_twice(
    worker, wallets, passing
):
    """The kill falls after the commit of one account's batch and before its trim."""
    traffic = Traffic(wallets(f"untrimmed-{passing}"), random.Random(passing), SPENDABLE, CREDIT)
    traffic.run(60)
    worker.do("persist")
    assert not any(now.backlog for now in _figures(traffic.slugs))
    for slug in traffic.slugs:  # each wallet has something to write
        assert hotpath.run(commands.move(slug, "r", "recharge", 1)).applied
        traffic.balances[slug] += 1
    killed = worker.ask("persist", at="billing.after_commit", passing=passing, at_once=1)
    assert killed["signal"] == signal.SIGKILL
    in_sql = {row[0]: row[4] for row in worker.do("rows")}
    closed = _figures(traffic.slugs)
    written = [in_sql[slug] == now.seq for slug, now in zip(traffic.slugs, closed, strict=True)]
    untrimmed = [each and now.backlog > 0 for each, now in zip(written, closed, strict=True)]
    assert sum(written) == passing
    assert any(untrimmed), "the kill fell before the trim of the last one"
    assert worker.do("audit") == ""
    traffic.run(30)
    figures = worker.do("persist")
    assert figures["repeats"] == sum(untrimmed)
    assert (figures["faults"], figures["refused"], figures["failed"]) == (0, 0, 0)
    assert not any(now.backlog for now in _figures(traffic.slugs))
    assert worker.do("audit") == ""
    traffic.check()
    rows = {row[0]: row[1] for row in worker.do("rows")}
    assert {slug: rows[slug] for slug in traffic.slugs} == traffic.balances


def _figures(slugs):
    return [hotpath.run(commands.balance(slug)) for slug in slugs]


@pytest.mark.parametrize("how", ["before", "after"])
def test_a_worker_paused_past_its_lease_is_refused_by_the_row(worker, wallets, how):
    traffic = Traffic(wallets(f"paused-{how}"), random.Random(how), SPENDABLE, CREDIT)
    traffic.run(40)
    point = "billing.batch_closed" if how == "before" else "billing.after_commit"
    pid = worker.ask("persist", at=point, how="STOP", wait=False)["pid"]
    until(lambda: _is_stopped(pid))
    traffic.run(20)
    assert worker.do("persist")["failed"] == 0
    traffic.run(20)
    late = worker.do("persist")
    assert late["faults"] == 0
    traffic.run(20)
    os.kill(pid, signal.SIGCONT)
    ended = worker.ask("end", pid=pid)
    assert ended["signal"] == 0
    assert ended["answer"]["faults"] == 0
    if how == "before":
        # It finds its batch written, closes the next one, and the rows have a later writer.
        assert ended["answer"]["refused"] > 0
    assert worker.do("audit") == ""
    assert worker.do("persist")["faults"] == 0
    assert worker.do("audit") == ""
    traffic.check()


def test_two_workers_at_once_write_every_entry_once(worker, wallets):
    traffic = Traffic(wallets("two"), random.Random(2), SPENDABLE, CREDIT)
    for _ in range(10):
        traffic.run(40)
        pids = [worker.ask("persist", wait=False)["pid"] for _ in range(3)]
        answers = [worker.ask("end", pid=pid) for pid in pids]
        assert all(said.get("answer", {"faults": 0})["faults"] == 0 for said in answers), answers
    worker.do("persist")
    assert worker.do("audit") == ""
    traffic.check()


@pytest.mark.parametrize(
    "point",
    ["billing.order_committed", "billing.order_before_redis", "billing.order_after_redis"],
)
def test_an_order_whose_maker_was_killed_is_applied_once(worker, wallets, point):
    slugs = wallets(point[8:].replace("_", "-"))
    order = {"slug": slugs[0], "kind": "recharge", "amount": 77, "operation": "recharge:1"}
    assert worker.ask("order", at=point, **order)["signal"] == signal.SIGKILL
    assert worker.ask("relay", at=point)["signal"] in (0, signal.SIGKILL)
    worker.do("relay")
    assert worker.do("relay")["waiting"] == 0
    now = hotpath.run(commands.balance(slugs[0]))
    assert now.bal == SPENDABLE + 77
    worker.do("persist")
    assert worker.do("audit") == ""


@pytest.mark.parametrize(
    "point",
    ["billing.rebuild_persisted", "billing.rebuild_new_generation", "billing.rebuild_created"],
)
def test_a_rebuild_killed_at_any_point_is_gone_on_with(worker, wallets, point):
    traffic = Traffic(wallets(point[8:].replace("_", "-")), random.Random(point), SPENDABLE, CREDIT)
    traffic.run(60)
    killed = worker.ask("rebuild", slug=traffic.slugs[0], at=point)
    assert killed["signal"] == signal.SIGKILL
    watched = {"rebuilt": 0}

    def healed():
        nonlocal watched
        watched = worker.do("watch")
        return watched["rebuilt"] and not watched["failed"]

    until(healed)
    worker.do("persist")
    assert worker.do("audit") == ""
    traffic.check()


def _is_stopped(pid):
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0] == "T"
