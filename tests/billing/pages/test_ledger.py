"""One ledger: the steps of a balance and all entries, from the same rows."""

from datetime import UTC, date, datetime

import pytest
from django.core import signing

from billing.models import Adjustment, JournalEntry
from billing.money import UNITS
from billing.presentation import MINUS
from billing.selectors.breakdown import DaySums
from billing.selectors.cursors import cursor_of
from billing.topics.lines import Moved, of_row
from billing.views import entries
from billing.views.ledger import NBSP, Part, ledger
from poolsite.access.services import user_create
from poolsite.runtime.redis_server import RedisServer
from tests.billing.pages.page_world import OPENING, Customer, browser, lived

pytestmark = pytest.mark.django_db(transaction=True)

LEFT = 150 * UNITS - 3_000 - 1_000 - 10_000  # with m-fresh in the books


@pytest.fixture
def made(clean_redis: RedisServer) -> Customer:
    """A wallet with data for every page."""
    return lived()


def test_the_steps_lead_to_the_balance_and_each_opens_into_its_entries(made: Customer) -> None:
    client = browser(made.people["owner"])
    made.persist()
    context = client.get("/accounts/evergreen/explain/spendable/").context
    steps, parts = context["steps"], context["step_parts"]
    assert steps.closing == context["found"].total == LEFT
    assert (steps.charged, steps.held, steps.owed) == (4_000, 10_000, 0)
    signed = [-part["units"] if part["sign"] == MINUS else part["units"] for part in parts]
    assert steps.opening + sum(signed) == steps.closing
    assert all(signed)
    for part in parts:
        assert client.get(part["url"]).context["found"].total == part["units"]
    day = client.get("/accounts/evergreen/").context["today"]
    of_today = client.get(f"/accounts/evergreen/explain/spendable/?from={day}&until={day}").context
    assert of_today["steps"].closing == steps.closing
    assert of_today["rows"][0].part.balance == steps.closing
    filtered = client.get("/accounts/evergreen/explain/spendable/?kind=hold").context
    assert filtered["steps"] is None
    assert filtered["rows"][0].part.balance is None


def test_all_entries_and_the_breakdown_are_one_ledger(made: Customer) -> None:
    client = browser(made.people["owner"])
    made.persist()
    explained = client.get("/accounts/evergreen/explain/spendable/").context["rows"]
    rows = client.get("/accounts/evergreen/entries/").context["rows"]
    assert [row for row in rows if row.part.amount] == explained
    told = {(row.reference, row.part.moved.kind): row.details for row in rows}
    assert told["m-text", "hold"] == ""  # its amount shows it
    assert (
        told["m-text", "settle"] == f"Native text · Held{NBSP}{MINUS}0.5000 · Charged{NBSP}+0.3000"
    )


@pytest.mark.parametrize(
    ("kind", "amount", "name", "what"),
    [
        ("hold", -2_400, "care/c1/1.0a1b2c3d", "1 call interval held"),
        ("settle", 0, "care/c1/1.0a1b2c3d", "1 call interval, ¥0.24 charged"),
        ("settle", 900, "care/c1/2.end", "1 call interval, ¥0.24 charged, the rest returned"),
        ("cancel", 2_400, "care/c1/2.0a1b2c3d", "1 call interval cancelled"),
        ("hold", -2_400, "care/c1/1", "1 message held"),
        ("session", -1_500, "care/c1/1.0a1b2c3d", "1 session message"),
    ],
)
def test_a_calls_intervals_are_told_from_messages(
    made: Customer, kind: str, amount: int, name: str, what: str
) -> None:
    moved = Moved(1, 0, kind, name, amount, "", 2_400)
    (row,) = ledger(made.wallet, [Part(moved, amount)])
    assert row.what == what


def test_each_day_has_a_head_with_what_the_whole_day_moved_whatever_a_page_shows(
    made: Customer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Days are the account's: an entry at 23:30 UTC on the 30th belongs to the 31st in Shanghai."""
    made.persist()
    entries_of = JournalEntry.objects.filter(wallet=made.wallet).order_by("seq")
    first, *rest = entries_of
    at = int(datetime(2025, 12, 30, 23, 30, tzinfo=UTC).timestamp()) * 1_000_000
    entries_of.filter(pk=first.pk).update(at_us=at)
    moved = sum(entry.spendable for entry in rest)
    client = browser(made.people["owner"])
    path = "/accounts/evergreen/entries/"
    today, earlier = client.get(path).context["days"]
    assert earlier.on == date(2025, 12, 31)
    assert earlier.sums == DaySums(1, first.spendable, OPENING + first.spendable)
    assert today.sums == DaySums(len(rest), moved, LEFT)
    assert client.get(today.url).context["steps"].closing == LEFT
    monkeypatch.setattr(entries, "PAGE_ROWS", 2)
    page = client.get(path).context
    assert [(day.on, day.sums) for day in page["days"]] == [(today.on, today.sums)]
    second = client.get(path + page["next_url"]).context
    assert [(day.on, day.sums) for day in second["days"]] == [(today.on, today.sums)]
    chosen = client.get(path, {"kind": "hold"}).context["days"][0]
    assert chosen.sums is None


def test_the_entries_of_some_days_keep_their_balance(made: Customer) -> None:
    client = browser(made.people["owner"])
    made.persist()
    path = "/accounts/evergreen/entries/"
    whole = client.get(path).context["rows"]
    day = whole[-1].at.date().isoformat()
    of_day = client.get(path, {"from": day, "until": day}).context["rows"]
    assert [row.part.balance for row in of_day] == [row.part.balance for row in whole]
    assert client.get(path, {"until": "2020-01-01"}).context["rows"] == []


def test_a_movement_by_hand_names_who_asked_and_who_approved(made: Customer) -> None:
    people = [user_create(username=name, actor="test", full_name=name.upper()) for name in "ab"]
    Adjustment.objects.create(
        wallet=made.wallet,
        kind="credit",
        amount=500,
        reason="goodwill",
        asked_by=people[0],
        decided_by=people[1],
        operation_id="adjust:1",
        status="applied",
    )
    moved = [
        Moved(seq, 1, kind, operation, 500, "")
        for seq, (kind, operation) in enumerate(
            [("credit", "adjust:1"), ("credit", "adjust:none"), ("recharge", "recharge:999")]
        )
    ]
    rows = ledger(made.wallet, [Part(each, each.amount) for each in moved])
    assert [row.what for row in rows] == ["goodwill · A, B", "Credit", "Top-up"]


def test_the_balance_runs_on_from_page_to_page_and_no_link_invents_one(
    made: Customer, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = browser(made.people["owner"])
    made.persist()
    path = "/accounts/evergreen/entries/"
    whole = [(row.reference, row.part.balance) for row in client.get(path).context["rows"]]
    monkeypatch.setattr(entries, "PAGE_ROWS", 2)
    found, address = [], "?"
    while address:
        context = client.get(path + address).context
        found += [(row.reference, row.part.balance) for row in context["rows"]]
        address = context["next_url"]
    assert found == whole
    newest = JournalEntry.objects.filter(wallet=made.wallet).order_by("-seq")[0]
    forged = signing.dumps([newest.generation, newest.seq, 10**9])
    of_another_figure = cursor_of(made.wallet, "held", newest, 10**9)
    for cursor in ("x.y.z", forged, of_another_figure):
        rows = client.get(path, {"before": cursor}).context["rows"]
        assert [(row.reference, row.part.balance) for row in rows] == whole[:2]


def test_an_entry_tells_what_of_it_is_owed(made: Customer) -> None:
    made.persist()
    wallet = made.wallet
    entry = JournalEntry.objects.filter(wallet=wallet).order_by("-seq")[0]
    entry.spendable, entry.held, entry.receivable, entry.revenue = -50_000, 0, -20_000, 70_000
    entry.mode = ""
    (row,) = ledger(wallet, [Part(of_row(entry), entry.spendable, entry=entry)])
    assert row.details == f"Charged{NBSP}+7.0000 · Owed{NBSP}+2.0000"
    entry.operation_id = ""
    (unnamed,) = ledger(wallet, [Part(of_row(entry), entry.spendable, entry=entry)])
    assert (unnamed.reference, unnamed.url) == ("–", "")
