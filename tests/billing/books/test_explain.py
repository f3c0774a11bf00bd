"""Any figure can be expanded into the exact entries that sum to it."""

from itertools import pairwise

import pytest

from billing import wallet as commands
from billing.persistence.running import persist_shard
from billing.selectors.explain import Figure, explain
from tests.billing.books.book_support import held, live_wallet, reported, run
from tests.billing.books.test_running import used

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


def pages(row, figure, limit=3):
    found, after = [], ""
    while True:
        page = explain(row, figure, after=after, limit=limit)
        found += page.rows
        if not page.next:
            return page, found
        after = page.next


@pytest.mark.parametrize("leg", ["spendable", "held", "receivable", "revenue", "cash"])
def test_the_pages_of_every_figure_sum_to_it(leg):
    row = used()
    persist_shard(0, 1)
    row.refresh_from_db()
    page, rows = pages(row, Figure(leg))
    assert page.opening + sum(each.amount for each in rows) == page.total
    assert page.count == len(rows)
    assert all(each.amount for each in rows)
    if hasattr(row, leg):
        assert page.total == getattr(row, leg)
    keys = [(each.entry.generation, each.entry.seq) for each in rows]
    assert keys == sorted(set(keys), reverse=True)
    for newer, older in pairwise(rows):
        assert newer.after - newer.amount == older.after


def test_one_message_opens_into_its_own_entries():
    row = used()
    persist_shard(0, 1)
    page, rows = pages(row, Figure("revenue", operation_id="m1"))
    assert page.total == 300
    assert [each.entry.operation_id for each in rows] == ["m1"]
    figure = Figure("spendable", mode="native_text")
    assert [each.entry.operation_id for each in pages(row, figure)[1]] == ["m1"]


def test_a_period_is_the_difference_of_two_balances():
    row = live_wallet(spendable=10_000)
    held(row, "m1")
    middle = run(row, commands.balance(row.slug)).as_of_us + 1
    held(row, "m2")
    reported(row, "m1", "video")
    persist_shard(0, 1)
    row.refresh_from_db()
    before = row.opening + explain(row, Figure("spendable", until=middle)).total
    assert before == 9_200
    page, _ = pages(row, Figure("spendable", since=middle))
    assert before + page.total == row.spendable


@pytest.mark.parametrize("cursor", ["x", "1.2", "1.2.x", "1.2.3.4", "-1.2.3", "9" * 30 + ".1.1"])
def test_a_strange_page_is_refused(cursor):
    row = live_wallet()
    with pytest.raises(ValueError):
        explain(row, Figure(), after=cursor)


def test_an_unknown_leg_is_refused():
    with pytest.raises(ValueError):
        Figure("id")
