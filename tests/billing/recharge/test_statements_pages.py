"""The page of statements: months that add up, one opened in place, and nothing hidden."""

import csv
import io
import random
from collections import Counter
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from billing.models import JournalCheckpoint, JournalEntry, Wallet
from billing.money import parse, plain
from billing.persistence.checkpoints.reading import LEGS
from billing.selectors.statements import statement_of
from billing.selectors.statements_days import charges_by_day
from billing.services import usage as sums
from billing.services.days import month_of
from tests.billing.recharge.money_people import Payers, browser, operator, payers
from tests.billing.recharge.statement_books import at_us, charge, credit, top_up, two_months

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
OF = "/accounts/acme/statements/"


@pytest.fixture
def people() -> Payers:
    found = payers()
    two_months(found.wallet)
    return found


def page(people: Payers, path: str = "", **more: Any) -> Any:
    answer = browser(people.owner).get(f"{OF}{path}", **more)
    assert answer.status_code == 200
    return answer


def test_each_month_has_its_figures_and_the_year_their_sum(people: Payers) -> None:
    shown = page(people, "?year=2026")
    february, january = [row.statement for row in shown.context["rows"]][-2:]
    assert (january.opening, january.top_ups.units, january.adjusted) == (0, 1_000_000, 50_000)
    assert january.charges.units == 4_200 * 35 + 3 * 14_500
    assert january.closing == 1_000_000 - january.charges.units + 50_000
    assert (january.held, january.available) == (500, january.closing - 500)
    assert february.opening == january.closing
    assert [(line.name, line.units) for line in february.adjustments] == [
        ("cash_refund", -30_000),
        ("credit", 50_000),
    ]
    totals = shown.context["totals"]
    assert (
        totals["opening"] + totals["top_ups"] - totals["charges"] + totals["adjusted"]
        == (totals["closing"])
    )
    assert "+300.00" in shown.content.decode()


def test_the_bars_of_all_months_are_on_one_scale(people: Payers) -> None:
    at = at_us(people.wallet, 2026, 2, 5)
    charge(people.wallet, at, "video", 4_200 * 35 + 3 * 14_500)
    rows = page(people, "?year=2026").context["rows"][-2:]
    ends = [float(row.bar[-1].x) + float(row.bar[-1].width) + 1 for row in rows]
    assert ends == pytest.approx([148, 74], abs=0.3)
    assert [part.look for part in rows[0].bar] == ["native-text", "video"]


def test_one_month_is_opened_at_its_own_address_and_adds_up(people: Payers) -> None:
    shown = page(people, "2026-02/")
    text = shown.content.decode()
    assert text.count('aria-expanded="true"') == 1
    assert 'href="/accounts/acme/statements/2026-01/#month-2026-01"' in text
    assert 'href="/accounts/acme/statements/?year=2026#month-2026-02"' in text
    assert "Adds up" in text
    assert "Differs by" not in text
    opened = shown.context["opened"]
    assert [check.difference for check in opened["checks"]] == [0, 0, 0]
    assert [move.name for _, move, _ in opened["moves"]] == ["R00000002", "adj-2", "op-cash_refund"]
    assert opened["moves"][0][2] == "/accounts/acme/top-ups/2/"
    assert "Opens with the closing balance of January 2026" in text
    assert page(people, "2025-05/").context["opened"]["statement"].closing == 0


def test_lines_that_lead_elsewhere_are_shown_with_the_difference(people: Payers) -> None:
    """A stretch whose lines were changed by hand: its legs still show the balance's movement."""
    rows = list(JournalEntry.objects.filter(wallet=people.wallet).order_by("seq"))
    january = rows[: len(rows) // 2]
    legs = {leg: sum(getattr(row, leg) for row in january) for leg in LEGS}
    kinds = {row.kind: [0, 0, 0, 0] for row in january}
    for row in january:
        found = kinds[row.kind]
        kinds[row.kind] = [
            found[0] + 1,
            found[1] + row.spendable,
            found[2] + row.revenue,
            found[3] + row.cash,
        ]
    kinds["recharge"][3] -= 7_700
    JournalCheckpoint.objects.create(
        wallet=people.wallet,
        generation=1,
        first_seq=january[0].seq,
        last_seq=january[-1].seq,
        entries=len(january),
        first_us=min(row.at_us for row in january),
        last_us=max(row.at_us for row in january),
        counts=dict.fromkeys(LEGS, 1),
        lines={"kind": kinds, "mode": {}, "chatbot": {}},
        digest="d",
        seal="s",
        proven_at=datetime.now(ZoneInfo("UTC")),
        **legs,
    )
    text = page(people, "2026-01/").content.decode()
    assert "Differs by −¥0.77" in text
    assert "Doesn&#x27;t add up" in text or "Doesn't add up" in text
    assert "Adds up</span>" not in text


def test_the_running_month_is_compared_with_the_wallet_itself(people: Payers) -> None:
    now = datetime.now(ZoneInfo(people.wallet.account.zone))
    shown = page(people, f"{now:%Y-%m}/")
    closing = shown.context["opened"]["statement"].closing
    assert shown.context["opened"]["checks"][-1].difference == -closing
    Wallet.objects.filter(pk=people.wallet.pk).update(spendable=closing - 1_000, held=1_000)
    shown = page(people, f"{now:%Y-%m}/")
    assert shown.context["opened"]["difference"] == 0
    text = shown.content.decode()
    assert "Running" in text
    assert "PDF on 1" in text
    assert f"{OF}{now:%Y-%m}/pdf/" not in text


@pytest.mark.parametrize(
    "zone", ["Asia/Shanghai", "Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe"]
)
def test_days_are_the_account_s_own_whatever_is_summed_up_already(zone: str) -> None:
    """Also where midnight cuts an hour, and on the day that the clocks change."""
    wallet = payers("days", zone=zone).wallet
    chance = random.Random(zone)
    first, last = at_us(wallet, 2026, 3, 31), at_us(wallet, 2026, 5, 2)
    edges = [at_us(wallet, 2026, 4, day) + shift for day in range(1, 31) for shift in (-1, 0)]
    for at in edges + [chance.randrange(first, last) for _ in range(100)]:
        charge(wallet, at, chance.choice(["native_text", "video"]), chance.randrange(1, 99))
    wanted: Counter[tuple[date, str]] = Counter()
    for row in JournalEntry.objects.filter(wallet=wallet):
        day = datetime.fromtimestamp(row.at_us / 1e6, ZoneInfo(zone)).date()
        wanted[day, row.mode] += row.revenue
    month = month_of(wallet.account, "2026-04")
    for _ in range(4):
        found = charges_by_day(wallet, month)
        assert len(found.days) == 30
        for mode, values in found.by_mode.items():
            assert values == [wanted[day, mode] for day in found.days]
        assert sum(found.totals) == statement_of(wallet, month, 0).statement.charges.units
        sums.sum_up(wallet, limit=50)


def test_no_page_reads_messages_one_by_one(people: Payers) -> None:
    """A month of a million charges: every query of the journal has a sum or a limit."""
    for _ in range(200):
        charge(people.wallet, at_us(people.wallet, 2026, 2, 7), "video", 3)
    client = browser(people.owner)
    counts = []
    for path in ("?year=2026", "2026-02/", "2026-02/pdf/", "year/2026/csv/"):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert client.get(f"{OF}{path}").status_code == 200
        asked = [query["sql"] for query in queries if "billing_journalentry" in query["sql"]]
        assert asked
        for sql in asked:
            assert any(word in sql for word in ("SUM(", "COUNT(", "LIMIT")), sql
        counts.append(len(queries))
    assert max(counts) < 40


def test_the_list_of_moves_has_an_end(people: Payers) -> None:
    for number in range(60):
        credit(people.wallet, at_us(people.wallet, 2026, 2, 9), 100, f"c-{number}")
    shown = page(people, "2026-02/")
    assert len(shown.context["opened"]["moves"]) == 50
    assert "13 more in the CSV file" in shown.content.decode()


def test_the_year_s_file_says_what_the_page_says(people: Payers) -> None:
    answer = page(people, "year/2026/csv/")
    text = b"".join(answer.streaming_content).decode().removeprefix("\ufeff")
    rows = list(csv.DictReader(io.StringIO(text)))
    shown = page(people, "?year=2026").context["rows"]
    assert [row["month"] for row in rows] == [each.statement.month.name for each in shown][::-1]
    for row in rows:
        modes = sum(parse(value) for name, value in row.items() if name.startswith("charges "))
        assert modes == parse(row["charges"])
        lines = parse(row["opening"]) + parse(row["top-ups"]) - modes + parse(row["adjustments"])
        assert lines == parse(row["closing"])
        assert parse(row["available"]) + parse(row["held"]) - parse(row["owed"]) == lines
    assert rows[1]["adjustments"] == plain(20_000)
    assert [rows[0]["state"], rows[-1]["state"]] == ["final", "running"]


@pytest.mark.parametrize("year", ["1999", "2025", "2199", "x", "-1", "0", "99999999999999999999"])
def test_a_year_without_statements_is_not_found(people: Payers, year: str) -> None:
    client = browser(people.owner)
    assert client.get(f"{OF}?year={year}").status_code == 404
    assert client.get(f"{OF}year/{year}/csv/").status_code == 404


def test_the_switch_of_years_has_those_since_the_first_entry(people: Payers) -> None:
    top_up(people.wallet, at_us(people.wallet, 2024, 12, 31), 5)
    text = page(people, "?year=2024").content.decode()
    assert 'href="/accounts/acme/statements/?year=2025"' in text
    assert text.count("statements__month") == 1


def test_a_stranger_finds_nothing_and_an_operator_everything(people: Payers) -> None:
    stranger, looker = browser(payers("other").owner), browser(operator("lin"))
    for path in ("", "2026-02/", "2026-02/csv/", "2026-02/pdf/", "year/2026/csv/"):
        assert stranger.get(f"{OF}{path}").status_code == 404
        assert looker.get(f"{OF}{path}").status_code == 200
