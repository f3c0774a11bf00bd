"""One ledger: the steps of a balance and all entries, from the same rows."""

import pytest

from billing.models import JournalEntry
from billing.money import UNITS
from billing.presentation import MINUS, exact
from billing.topics.lines import of_row
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
    entries = client.get("/accounts/evergreen/entries/").context["rows"]
    assert [row for row in entries if row.part.amount] == explained
    held = next(row for row in entries if row.part.moved.kind == "hold")
    assert f"Held {exact(-held.part.amount, signed=True)}" in held.details
    assert held.owed == ""
    assert client.get("/accounts/evergreen/entries/?before=x.y.z").status_code == 200


def test_an_entry_tells_what_of_it_is_owed(made: Customer) -> None:
    made.persist()
    wallet = made.wallet
    entry = JournalEntry.objects.filter(wallet=wallet).order_by("-seq")[0]
    entry.spendable, entry.held, entry.receivable, entry.revenue = -50_000, 0, -20_000, 70_000
    entry.mode = ""
    (row,) = ledger(wallet, [Part(of_row(entry), entry.spendable, entry=entry)])
    assert row.owed == "Owed +2.0000"
    assert row.details == f"Charged +7.0000 · {row.owed}"
