"""Every CSV file of the product, with hostile texts in it: a spreadsheet computes none of them."""

import csv
import io
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from django.utils import timezone

from billing.models import (
    CallRate,
    Campaign,
    DroppedRow,
    Invoice,
    InvoiceLine,
    JournalEntry,
    Message,
    OptOut,
    Recharge,
    Recipient,
    Tariff,
    Template,
    Wallet,
)
from numbers.models import ImportRow, Number, NumberImport, NumberTag, Pool
from poolsite.access.models import ApiToken, AuditEntry
from poolsite.operations.models import Incident, WebhookEndpoint, WebhookEvent
from queueing.admission.models import Gate, Task, TaskBatch
from queueing.dispatch.models import DispatchEvent, Group
from queueing.line.models import Agent, Desk, LeftMessage, Queue
from tests.access.planting import HOSTILE, plant
from tests.access.url_rules import RULES
from tests.access.url_rules_campaigns import campaign
from tests.access.world import World
from tests.line.past import past_visit
from tests.support.spreadsheet import computed_cells, is_computed

pytestmark = [pytest.mark.prove, pytest.mark.background]


THINGS = (
    "accounts/<slug:slug>/campaigns/<int:pk>/dropped/",
    "desks/<slug:slug>/reports/csv/",
    "gates/<slug:slug>/samples/",
    "groups/<slug:slug>/events.csv",
    "imports/<int:import_id>/refused/",
)


def _things(world: World) -> None:
    """Create an object of each kind and two people, with the rules of the pages that show them."""
    for pattern in THINGS:
        _address(world, pattern)
    world.users["agent"], world.users["operate"]
    desk = Desk.objects.get(slug="own-desk")
    Queue.objects.get_or_create(desk=desk, slug="own-queue", defaults={"name": HOSTILE[3]})


def _names(world: World) -> None:
    """Set hostile names for accounts, pools, desks, gates, groups and people."""
    for model in (Pool, Desk, Gate, Group):
        model._base_manager.update(name=HOSTILE[1])
    for account in (world.own, world.other):
        account.name = HOSTILE[1]
        account.save()
    for user in world.users.values():
        user.first_name, user.last_name = HOSTILE[0], HOSTILE[4]
        user.save()


def _agents(world: World) -> None:
    desk = Desk.objects.get(slug="own-desk")
    user = world.users["agent"]
    Agent.objects.update_or_create(user=user, defaults={"desk": desk, "name": HOSTILE[1]})


def _forecast(world: World) -> None:
    """Create enough past visits for a forecast."""
    queue = Queue.objects.get(slug="own-help")
    Queue.objects.update(name=HOSTILE[3])
    for ago in range(1, 15):
        joined = timezone.now() - timedelta(days=ago)
        for _ in range(6):
            past_visit(queue, joined, agent=Agent.objects.filter(queues=queue).first())


def _tokens(world: World) -> None:
    plant(ApiToken, account=world.own, secret_hash=str, expires_at=timezone.now())
    ApiToken.objects.update(resources=["*"], actions=[HOSTILE[0]])


def _webhooks(world: World) -> None:
    plant(WebhookEndpoint, account=world.own, slug=lambda n: f"we-{n}", url="https://own.example/")
    WebhookEvent.objects.update(type=HOSTILE[1])


def _audit(world: World) -> None:
    plant(AuditEntry, account=world.own, before={"name": HOSTILE[0]}, after={"name": HOSTILE[1]})


def _incidents(world: World) -> None:
    fixed = {"title_text": "%(name)s", "params": {"name": HOSTILE[2]}, "url": ""}
    plant(Incident, account=world.own, object=lambda n: f"{HOSTILE[n % len(HOSTILE)]}{n}", **fixed)


def _numbers(world: World) -> None:
    pool = Pool.objects.get(slug="own-pool")
    plant(Number, pool=pool, canonical=None, value=lambda n: str(13900000000 + n), contact="")
    Number.objects.update(quarantined_at=timezone.now())
    plant(NumberTag, pool=pool, number=Number.objects.first())


def _imports(world: World) -> None:
    found = NumberImport.objects.earliest("pk")  # created with the URL
    NumberImport.objects.update(file_name=HOSTILE[0], actor_name=HOSTILE[1])
    plant(ImportRow, number_import=found, kind=ImportRow.Kind.REFUSED, row=int, why="")


def _campaign(world: World) -> None:
    found = campaign(world)
    plant(DroppedRow, campaign=found, row=int)
    plant(Recipient, campaign=found, row=int)


def _messages(world: World) -> None:
    found = campaign(world)
    plant(Message, wallet=found.wallet, state="settled", held_at=timezone.now())


def _campaigns(world: World) -> None:
    found = campaign(world)
    plant(Campaign, wallet=found.wallet, chatbot=found.chatbot, template=found.template, job=None)


def _templates(world: World) -> None:
    plant(Template, chatbot=campaign(world).chatbot, archived_at=None)


def _money(world: World) -> None:
    wallet = Wallet.objects.get(account=world.own)
    january = 1_768_500_000_000_000  # the month of the rule's statement
    plant(JournalEntry, wallet=wallet, generation=1, seq=int, at_us=january, spendable=1, held=-1)
    plant(Recharge, wallet=wallet, token=str, customer_ip_address=None)
    plant(OptOut, account=world.own)


def _call_rates(world: World) -> None:
    found = Tariff.objects.latest("pk")  # created with the URL
    plant(CallRate, tariff=found, days=127, from_minute=0, until_minute=1_440)


def _invoices(world: World) -> None:
    wallet = Wallet.objects.get_or_create(account=world.own)[0]
    sums = {"net": 1, "tax": 0, "total": 1, "paid": 1}
    plant(
        Invoice,
        wallet=wallet,
        revision=lambda n: 10 + n,
        month=date(2026, 1, 1),
        issued_on=date(2026, 2, 1),
        number=lambda n: f"X-{n}",
        serial=int,
        customer={"name": HOSTILE[0]},
        **sums,
    )


def _invoice_lines(world: World) -> None:
    found = Invoice.objects.get()
    sums = {"net": 1, "tax": 0, "amount": 1}
    plant(InvoiceLine, invoice=found, position=lambda n: 100 + n, **sums)


def _tasks(world: World) -> None:
    plant(Task, batch=TaskBatch.objects.get(), state="failed", token=int)


def _batches(world: World) -> None:
    tomorrow = timezone.now() + timedelta(days=1)
    plant(TaskBatch, gate=Gate.objects.get(slug="own-gate"), closes_at=tomorrow)


# Each export: what fills it in addition to the names, and what to append to its URL.
EXPORTS: dict[str, tuple[Callable[[World], None], str]] = {
    "accounts/": (_names, ""),
    "accounts/<slug:slug>/campaigns/": (_campaigns, ""),
    "accounts/<slug:slug>/campaigns/<int:pk>/dropped/": (_campaign, ""),
    "accounts/<slug:slug>/campaigns/<int:pk>/results/": (_campaign, ""),
    "accounts/<slug:slug>/entries/": (_money, ""),
    "accounts/<slug:slug>/explain/<slug:leg>/": (_money, ""),
    "accounts/<slug:slug>/invoices/": (_invoices, ""),
    "accounts/<slug:slug>/invoices/<int:pk>/csv/": (_invoice_lines, ""),
    "accounts/<slug:slug>/messages/": (_messages, ""),
    "accounts/<slug:slug>/opt-outs/export/": (_money, ""),
    "accounts/<slug:slug>/people/": (_names, ""),
    "accounts/<slug:slug>/statements/<str:month>/csv/": (_money, ""),
    "accounts/<slug:slug>/statements/year/<int:year>/csv/": (_names, ""),
    "accounts/<slug:slug>/tariffs/<int:pk>/call-rates/": (_call_rates, ""),
    "accounts/<slug:slug>/templates/": (_templates, ""),
    "accounts/<slug:slug>/top-ups/": (_money, ""),
    "batches/<int:batch_id>/": (_tasks, ""),
    "batches/<int:batch_id>/failed/": (_tasks, ""),
    "billing/accounts/": (_names, ""),
    "billing/invoices/": (_invoices, ""),
    "desks/": (_names, ""),
    "desks/<slug:slug>/forecast/csv/": (_forecast, "&queue=own-help"),
    "desks/<slug:slug>/messages/csv/": (
        lambda world: plant(LeftMessage, queue=Queue.objects.get(slug="own-queue")),
        "&state=all",
    ),
    "desks/<slug:slug>/reports/csv/": (_agents, "&by=agent"),
    "gates/": (_names, ""),
    "gates/<slug:slug>/batches/": (_batches, ""),
    "groups/": (_names, ""),
    "groups/<slug:slug>/events.csv": (
        lambda world: plant(DispatchEvent, aggregate=Group.objects.get(slug="own-group"), seq=int),
        "",
    ),
    "history/": (_audit, ""),
    "imports/": (_imports, ""),
    "imports/<int:import_id>/refused/": (_imports, ""),
    "incidents/": (_incidents, "&state=all"),
    "numbers/export/": (_numbers, ""),
    "operators/": (_names, ""),
    "pools/": (_names, ""),
    "tokens/": (_tokens, "&state=all"),
    "webhooks/": (_webhooks, ""),
    "webhooks/<slug:slug>/": (_webhooks, ""),
}


def _file(world: World, url: str) -> str | None:
    """Return the CSV file at a URL, or None if the answer is no CSV file."""
    for reader in ("operate", "owner"):
        answer: Any = world.client(reader).get(url)
        if answer.headers.get("Content-Type", "").startswith("text/csv"):
            return str(answer.getvalue().decode())
        if answer.status_code == 200:
            return None
    return None


def _address(world: World, pattern: str) -> str:
    rule = RULES[pattern]
    url = rule.url(world) if callable(rule.url) else rule.url or f"/{pattern}"
    return f"{url}{'&' if '?' in url else '?'}format=csv"


def test_these_are_all_the_exports_there_are(world: World) -> None:
    pages = [
        pattern
        for pattern, rule in RULES.items()
        if rule.method == "get" and not pattern.startswith(("admin/", "api/"))
    ]
    found = {each for each in pages if _file(world, _address(world, each)) is not None}
    assert found == set(EXPORTS)


@pytest.mark.parametrize("pattern", EXPORTS)
def test_no_cell_of_an_export_is_computed(world: World, pattern: str) -> None:
    fill, more = EXPORTS[pattern]
    address = _address(world, pattern)
    _things(world)
    fill(world)
    _names(world)
    text = _file(world, address + more)
    assert text is not None
    assert computed_cells(text) == []
    cells = {
        cell for row in csv.reader(io.StringIO(text.lstrip("\ufeff"), newline="")) for cell in row
    }
    assert any(cell.startswith("'") and is_computed(cell[1:]) for cell in cells), text
