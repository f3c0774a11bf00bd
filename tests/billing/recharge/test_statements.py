"""Statements: opening + entries = closing, exactly, in the account's own months."""

import csv
import io
import random
from datetime import UTC, datetime
from itertools import chain, pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from billing.models import JournalEntry, MoneyOrder, Wallet
from billing.money import UNITS, parse
from billing.selectors import statements_entries
from billing.selectors.statements import Statement, statement_of, statements_of
from billing.selectors.statements_entries import statement_chunks
from billing.services import outbox
from billing.services.days import day_start, month_at, month_of
from poolsite.moments import moment_of
from tests.billing.recharge.money_people import Payers, browser, payers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


@pytest.fixture
def people() -> Payers:
    found = payers()
    Wallet.objects.filter(pk=found.wallet.pk).update(opening=7 * UNITS)
    found.wallet.refresh_from_db()
    return found


def at_us(*moment: int, zone: str = "Asia/Shanghai") -> int:
    return int(datetime(*moment, tzinfo=ZoneInfo(zone)).timestamp() * 1_000_000)


def entry(wallet: Wallet, seq: int, at: int, spendable: int, **legs: Any) -> JournalEntry:
    rest = -(spendable + legs.get("held", 0) + legs.get("revenue", 0) + legs.get("receivable", 0))
    return JournalEntry.objects.create(
        wallet=wallet,
        generation=1,
        seq=seq,
        at_us=at,
        kind=legs.pop("kind", "recharge"),
        operation_id=f"op-{seq}",
        spendable=spendable,
        cash=rest,
        **legs,
    )


def statement(wallet: Wallet, name: str) -> Statement:
    return statement_of(wallet, month_of(wallet.account, name), 50).statement


def test_an_entry_belongs_to_the_month_of_the_account_s_own_clock(people: Payers) -> None:
    wallet = people.wallet
    entry(wallet, 1, at_us(2026, 2, 28, 23, 59, 59), 10)
    entry(wallet, 2, at_us(2026, 3, 1), 200)
    entry(wallet, 3, at_us(2026, 3, 31, 23, 59, 59), 3_000)
    entry(wallet, 4, at_us(2026, 4, 1), 40_000)
    march = statement(wallet, "2026-03")
    assert (march.opening, march.closing, march.top_ups.count) == (70_010, 73_210, 2)
    april = statement(wallet, "2026-04")
    assert april.opening == march.closing
    february = statement(wallet, "2026-02")
    assert february.closing == march.opening


def test_a_day_that_clocks_change_on_is_whole() -> None:
    people = payers("berlin", zone="Europe/Berlin")
    march = month_of(people.wallet.account, "2026-03")
    assert march.end_us - march.start_us == (31 * 24 - 1) * 3_600 * 1_000_000
    october = month_of(people.wallet.account, "2026-10")
    assert october.end_us - october.start_us == (31 * 24 + 1) * 3_600 * 1_000_000
    noon = datetime(2026, 3, 29, 10, tzinfo=UTC)
    assert day_start(people.wallet.account, noon) == datetime(2026, 3, 28, 23, tzinfo=UTC)


@pytest.mark.parametrize("name", ["2026-13", "2026-3", "26-03", "2026-03-01", "now", "2026-00"])
def test_what_is_no_month_is_none(people: Payers, name: str) -> None:
    with pytest.raises(ValueError, match=r"does not match|unconverted|^2026"):
        month_of(people.wallet.account, name)


def test_opening_and_entries_are_the_closing_over_any_months(people: Payers) -> None:
    """Random entries of three months: every month's opening is the previous one's closing."""
    wallet, rng = people.wallet, random.Random(5)
    kinds = ["recharge", "credit", "cash_refund", "settle", "by_hand", "hold"]
    for seq in range(1, 301):
        moment = at_us(2026, rng.randint(1, 3), rng.randint(1, 28), rng.randint(0, 23))
        held = rng.randint(-50, 50)
        entry(wallet, seq, moment, rng.randint(-900, 1_000), held=held, kind=rng.choice(kinds))
    before = None
    for name in ("2026-01", "2026-02", "2026-03"):
        found = statement(wallet, name)
        assert before in (None, found.opening)
        assert found.difference == 0
        rows = list(chain(*statement_chunks(wallet, month_of(wallet.account, name))))
        assert rows[-1][1] == found.available
        assert [row.at_us for row, _ in rows] == sorted(row.at_us for row, _ in rows)
        before = found.closing
    legs = JournalEntry.objects.values_list("spendable", "held")
    assert before == wallet.opening + sum(spendable + held for spendable, held in legs)


def test_a_month_longer_than_a_chunk_is_read_without_gap_or_repeat(
    people: Payers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statements_entries, "CHUNK", 7)
    for seq in range(1, 51):  # ten entries at each moment: the key has more than the time
        entry(people.wallet, seq, at_us(2026, 3, 1 + seq // 10), 1)
    rows = list(chain(*statement_chunks(people.wallet, month_of(people.wallet.account, "2026-03"))))
    assert [row.seq for row, _ in rows] == list(range(1, 51))
    assert rows[-1][1] == people.wallet.opening + 50


def test_receivables_are_shown_as_what_is_owed(people: Payers) -> None:
    entry(people.wallet, 1, at_us(2026, 3, 5), -7 * UNITS, receivable=-3 * UNITS, kind="debit")
    month = month_of(people.wallet.account, "2026-03")
    opened = statement_of(people.wallet, month, 50)
    found = opened.statement
    assert (found.closing, found.owed, found.available) == (-3 * UNITS, 3 * UNITS, 0)
    assert [move.name for move in opened.moves] == ["op-1"]


def test_the_months_reach_from_the_first_entry_to_now(people: Payers) -> None:
    entry(people.wallet, 1, at_us(2025, 12, 31, 23), 1)
    this = statements_of(people.wallet, 0, None, 0)
    assert list(this.years) == list(range(this.year, 2024, -1))
    assert [len(statements_of(people.wallet, year, None, 0).months) for year in (2025, 2026)] == [
        1,
        datetime.now(ZoneInfo("Asia/Shanghai")).month if this.year == 2026 else 12,
    ]
    names = [found.month.name for found in this.months]
    assert names == sorted(names, reverse=True)
    assert all(later.opening == found.closing for later, found in pairwise(this.months))


def test_the_file_says_what_the_page_says_and_no_cell_is_a_formula(people: Payers) -> None:
    entry(people.wallet, 1, at_us(2026, 3, 1, 8), 30 * UNITS)
    entry(people.wallet, 2, at_us(2026, 3, 1, 9), -5, held=5, kind="hold", chatbot="=cmd")
    client = browser(people.owner)
    answer = client.get("/accounts/acme/statements/2026-03/csv/")
    text = b"".join(answer.streaming_content).decode().removeprefix("\ufeff")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["in"] for row in rows] == ["30.0000", ""]
    assert [row["out"] for row in rows] == ["", "0.0005"]
    assert [parse(row["balance"]) for row in rows] == [37 * UNITS, 37 * UNITS - 5]
    assert rows[1]["chatbot"] == "'=cmd"
    assert rows[0]["at"] == "2026-03-01T08:00:00+08:00"
    page = client.get("/accounts/acme/statements/2026-03/")
    assert page.context["opened"]["statement"].available == parse(rows[-1]["balance"])


@pytest.mark.parametrize("month", ["2199-01", "1999-12", "2026-13", "x"])
def test_a_month_that_cannot_be_is_not_found(people: Payers, month: str) -> None:
    assert browser(people.owner).get(f"/accounts/acme/statements/{month}/").status_code == 404
    assert browser(people.owner).get(f"/accounts/acme/statements/{month}/csv/").status_code == 404


def test_a_foreign_statement_looks_like_a_missing_one(people: Payers) -> None:
    stranger = browser(payers("other").owner)
    for path in ("", "2026-03/", "2026-03/csv/"):
        assert stranger.get(f"/accounts/acme/statements/{path}").status_code == 404


def test_a_month_is_final_once_it_is_over_and_the_books_have_all_of_it(people: Payers) -> None:
    wallet = people.wallet

    def final(name: str) -> bool:
        found = Wallet.objects.select_related("account").get(pk=wallet.pk)
        return statement(found, name).is_final

    now = datetime.now(UTC).astimezone(ZoneInfo("Asia/Shanghai"))
    assert not final(f"{now:%Y-%m}")
    assert final("2026-03")  # Redis has nothing that the books lack
    outbox.apply_orders([_order(wallet)])
    # A later round of writing proves nothing: it may have written an earlier entry.
    Wallet.objects.filter(pk=wallet.pk).update(persisted_at=datetime(2026, 4, 1, 1, tzinfo=UTC))
    assert not final("2026-03")
    assert browser(people.owner).get("/accounts/acme/statements/2026-03/pdf/").status_code == 302
    entry(wallet, 1, at_us(2026, 4, 1), 1)
    assert final("2026-03")
    assert not final("2026-04")


def test_a_month_that_is_over_only_by_the_clock_of_this_machine_is_not_final(
    people: Payers, monkeypatch: pytest.MonkeyPatch
) -> None:
    month = month_at(people.wallet.account)
    past = moment_of(month.end_us + 1)
    monkeypatch.setattr(timezone, "now", lambda: past)
    found = statement(people.wallet, month.name)
    assert (found.is_over, found.is_final) == (True, False)  # Redis may still add an entry to it


def _order(wallet: Wallet) -> int:
    made = MoneyOrder.objects.create(
        wallet=wallet, operation_id="op", kind="credit", amount=UNITS, reference="test"
    )
    return int(made.pk)
