"""One ledger: the steps of a balance and all entries, from the same rows."""

import pytest
from django.core import signing

from billing.models import JournalEntry
from billing.money import UNITS
from billing.presentation import MINUS, exact
from billing.selectors.cursors import cursor_of
from billing.topics.lines import of_row
from billing.views import entries
from billing.views.ledger import Part, ledger
from poolsite.runtime.redis_server import RedisServer
from tests.billing.pages.page_world import Customer, browser, lived

pytestmark = pytest.mark.django_db(transaction=True)

LEFT = 150 * UNITS - 3_000 - 1_000 - 10_000  # with m-fresh in the books


@pytest.fixture
def made(clean_redis: RedisServer) -> Customer:
    """A wallet that has lived."""
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
    held = next(row for row in rows if row.part.moved.kind == "hold")
    assert f"Held {exact(-held.part.amount, signed=True)}" in held.details
    assert held.owed == ""


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
    assert row.owed == "Owed +2.0000"
    entry.operation_id = ""
    (unnamed,) = ledger(wallet, [Part(of_row(entry), entry.spendable, entry=entry)])
    assert (unnamed.reference, unnamed.url) == ("–", "")
    assert row.details == f"Charged +7.0000 · {row.owed}"
