"""Charged calls on the statement, in its files, in the API and on the page of one interval."""

import csv
import io
import re
from typing import Any

import pytest
from django.db.models import Sum
from django.test import Client
from django.utils import timezone
from django.utils.timezone import localtime

from billing.models import CallRate, CallUsage, JournalEntry, Message, Tariff, Wallet
from billing.persistence.running import persist_one
from billing.selectors.calls_charged import calls_of
from billing.selectors.statements import statement_of
from billing.services.days import month_at, zone_of
from billing.views.statements_pdf import statement_document
from poolsite.access.services import membership_set, user_create
from poolsite.moments import us_of
from tests.billing.calls.call_support import Line
from tests.billing.calls.rated_support import CALL_PRICE, FIXED, MOBILE, begin, hang_up, rated_line
from tests.support.clock import ScriptClock

pytestmark = [pytest.mark.django_db(transaction=True)]


@pytest.fixture
def line(transactional_db: None, test_clock: ScriptClock) -> Line:
    """73 s to a mobile, twice; 10 s to Berlin; and one call by the price of a call."""
    made = rated_line(prices=CALL_PRICE)
    today = localtime(timezone=zone_of(made.shop.account))  # whose month need not be UTC's
    test_clock.set(us_of(today.replace(day=10, hour=12)))
    for call_id, callee, seconds in (
        *(("a", MOBILE, 73), ("b", MOBILE, 73), ("c", FIXED, 10)),
        ("d", "+12025550100", 10),
    ):
        begin(made, callee, call_id)
        test_clock.advance(seconds)
        hang_up(made, call_id)
        while made.notes():
            test_clock.advance(5)
            made.sweep()
    persist_one(made.shop.wallet)
    return made


def owner(line: Line) -> Client:
    user = user_create(username="mei", actor="test")
    membership_set(user=user, account=line.shop.account, roles=["owner"], actor="test")
    client = Client()
    client.force_login(user)
    return client


def wallet_of(line: Line) -> Wallet:
    return Wallet.objects.select_related("account").get(pk=line.shop.wallet.pk)


def rows_of(answer: Any) -> list[dict[str, str]]:
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


EXPLAINED = [
    "Germany mobile, 0.12 per minute, connection fee 0.0050, 60/1, 60 s charged",
    "Germany mobile, 0.12 per minute, connection fee 0.0050, 60/1, 13 s charged",
    "Berlin, 0.06 per minute, 60/60, 60 s charged",
    "Price of a call, 0.06 per started 60 s, 60 s charged",
]


def test_calls_are_summed_up_by_rate(line: Line) -> None:
    wallet = wallet_of(line)
    found = calls_of(wallet, month_at(wallet.account), 50)
    told = {each.destination: (each.calls, each.seconds, each.units) for each in found.lines}
    assert told == {
        "Germany mobile": (2, 146, 2 * (1_250 + 260)),
        "Berlin": (1, 60, 600),
        "": (1, 60, 600),
    }
    assert found.lines[0].destination == "Germany mobile"  # the most expensive destination is first
    assert (found.count, found.calls, found.seconds, found.units) == (3, 4, 266, 4_220)
    cut = calls_of(wallet, month_at(wallet.account), 1)
    assert (len(cut.lines), cut.more, cut.units) == (1, 2, 4_220)


def test_the_sums_are_those_of_the_books_however_often_they_are_written(line: Line) -> None:
    wallet = wallet_of(line)
    persist_one(wallet)
    entries = JournalEntry.objects.filter(wallet=wallet, kind="settle", mode="call")
    sums = CallUsage.objects.aggregate(Sum("revenue"), Sum("intervals"), Sum("seconds"))
    assert sums["revenue__sum"] == entries.aggregate(Sum("revenue"))["revenue__sum"]
    assert sums["intervals__sum"] == entries.count()
    assert sums["seconds__sum"] == Message.objects.aggregate(n=Sum("charged_seconds"))["n"]
    assert statement_of(wallet, month_at(wallet.account), 0).statement.difference == 0


def test_the_page_lists_calls_by_destination_with_the_reason(line: Line) -> None:
    name = month_at(line.shop.account).name
    page = owner(line).get(f"/accounts/acme/statements/{name}/")
    assert b"Calls by destination" in page.content
    text = re.sub(r"<[^>]+>", "", page.content.decode())
    assert "Germany mobile, 0.12 per minute, connection fee 0.0050, 60/1, 146 s charged" in text
    assert "2 calls" in text


def test_the_file_has_the_seconds_and_the_reason_of_each_charge(line: Line) -> None:
    name = month_at(line.shop.account).name
    rows = rows_of(owner(line).get(f"/accounts/acme/statements/{name}/csv/"))
    assert list(rows[0])[-2:] == ["charged seconds", "explanation"]
    told = [(row["charged seconds"], row["explanation"]) for row in rows if row["explanation"]]
    seconds = ["60", "13", "60", "60"]
    assert sorted(set(told)) == sorted(zip(seconds, EXPLAINED, strict=True))
    assert {row["kind"] for row in rows if row["explanation"]} == {"settle"}


def test_the_document_has_a_table_of_them(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    from poolsite.paper import Paper

    tables: list[Any] = []
    monkeypatch.setattr(Paper, "table", lambda self, columns, rows, **more: tables.append(rows))
    wallet = wallet_of(line)
    statement_document(statement_of(wallet, month_at(wallet.account), 50))
    cells = [row[0] for rows in tables for row in rows]
    assert "Berlin, 0.06 per minute, 60/60, 60 s charged" in cells


def test_the_api_tells_the_same(line: Line) -> None:
    client, name = owner(line), month_at(line.shop.account).name
    url = f"/api/v1/accounts/acme/statements/{name}"
    calls = client.get(url).json()["calls"]
    assert calls[0] == {
        "prefix": "+4917",
        "destination": "Germany mobile",
        "calls": 2,
        "charged_seconds": 146,
        "amount": "0.3020",
        "explanation": (
            "Germany mobile, 0.12 per minute, connection fee 0.0050, 60/1, 146 s charged"
        ),
    }
    rows = client.get(f"{url}/rows", {"limit": 200}).json()["data"]
    told = {(row["charged_seconds"], row["explanation"]) for row in rows if row["explanation"]}
    assert told == set(zip([60, 13, 60, 60], EXPLAINED, strict=True))
    assert all(row["charged_seconds"] == 0 for row in rows if row["kind"] != "settle")


def test_one_interval_s_page_says_why_it_cost_so_much(line: Line) -> None:
    message = Message.objects.filter(charged_seconds=13).first()
    assert message is not None
    page = owner(line).get("/accounts/acme/message/", {"id": message.message_id})
    assert page.status_code == 200
    assert EXPLAINED[1] in page.content.decode()


def test_a_tariff_that_was_used_keeps_its_rates(line: Line) -> None:
    """The explanation of a charge must not vanish with a new version."""
    wallet = wallet_of(line)
    Tariff.objects.update(valid_until=localtime(timezone.now(), zone_of(wallet.account)))
    assert CallRate.objects.count() == 3
    assert calls_of(wallet, month_at(wallet.account), 50).lines[0].destination == "Germany mobile"
