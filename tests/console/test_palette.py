"""The search palette: what each user finds, what another tenant's user never does, fuzzy names."""

from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from billing.models import Campaign, Chatbot, Recharge, Tariff, Template, Wallet
from numbers.models import Number, NumberImport, Pool, Switch
from poolsite import console, operations
from poolsite.access import Principal, principal_of_user
from poolsite.access.models import ApiToken
from poolsite.console import matching, palette
from queueing.admission.models import Gate, TaskBatch
from queueing.dispatch.models import Group
from queueing.line.models import Desk, Queue, Visit
from tests.access.world import PASSWORD, ROLES, World, make_world

FAR = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.fixture
def world(db: None) -> World:
    return make_world()


def fill(world: World, which: str) -> None:
    """Create an object of each kind for an account, each with "zebra" in its name."""
    account = {"own": world.own, "other": world.other}[which]
    wallet = Wallet.objects.create(account=account)
    pool = Pool.objects.create(slug=f"{which}-pool", name=f"Zebra pool {which}", account=account)
    digit = "1" if which == "own" else "2"
    Number.objects.create(pool=pool, value=f"+8613800{digit}00001")
    Switch.objects.create(pool=pool, name=f"zebra-switch-{which}")
    NumberImport.objects.create(pool=pool, file_name=f"zebra-{which}.csv")
    desk = Desk.objects.create(slug=f"{which}-desk", name=f"Zebra desk {which}", account=account)
    queue = Queue.objects.create(desk=desk, slug=f"{which}-queue", name=f"Zebra queue {which}")
    Visit.objects.create(
        public_id=f"{which}visit", desk=desk, queue=queue, name="Zebra", joined_at=timezone.now()
    )
    gate = Gate.objects.create(
        slug=f"{which}-gate", name=f"Zebra gate {which}", key=which, account=account
    )
    now = timezone.now()
    TaskBatch.objects.create(gate=gate, name=f"Zebra batch {which}", opens_at=now, closes_at=FAR)
    Group.objects.create(slug=f"{which}-group", name=f"Zebra group {which}", account=account)
    bot = Chatbot.objects.create(account=account, slug=f"{which}-bot", name=f"Zebra bot {which}")
    template = Template.objects.create(chatbot=bot, name=f"Zebra template {which}")
    Campaign.objects.create(
        wallet=wallet, chatbot=bot, template=template, name=f"Zebra campaign {which}"
    )
    Tariff.objects.create(account=account, name=f"Zebra tariff {which}", valid_from=now, prices={})
    ApiToken.objects.create(
        account=account,
        name=f"zebra token {which}",
        prefix=which,
        secret_hash=which,
        expires_at=FAR,
    )
    operations.incidents.open(
        type="numbers.blocking",
        object=f"{which}-pool",
        severity="warning",
        title=f"Zebra trouble {which}",
        account=account,
    )


def reader(world: World, name: str) -> Principal:
    return principal_of_user(world.users[name])


def found(world: World, name: str, text: str) -> set[str]:
    return {row.name for row in palette.things(reader(world, name), text)}


KINDS = ("pool", "desk", "queue", "gate", "batch", "group", "bot", "template", "campaign", "tariff")


def test_an_operator_finds_every_kind_of_both_tenants(world: World) -> None:
    fill(world, "own")
    fill(world, "other")
    for which in ("own", "other"):
        for kind in KINDS:
            assert f"Zebra {kind} {which}" in found(world, "operate", f"zebra {kind}")
        assert f"zebra-switch-{which}" in found(world, "operate", "zebra-switch")
        assert f"zebra-{which}.csv" in found(world, "operate", f"zebra-{which}.csv")
        assert f"zebra token {which}" in found(world, "operate", "zebra token")
        assert f"Zebra trouble {which}" in found(world, "operate", "zebra trouble")


@pytest.mark.parametrize("name", [*ROLES, "roleless", "foreign"])
def test_another_tenants_things_are_never_found(world: World, name: str) -> None:
    fill(world, "own")
    fill(world, "other")
    theirs = "own" if name == "foreign" else "other"
    digit = "1" if name == "foreign" else "2"
    texts = ["zebra", *(f"zebra {kind}" for kind in KINDS), "zebra token", "zebra trouble"]
    texts += [f"zebra-switch-{theirs}", f"zebra-{theirs}.csv", f"+8613800{digit}", theirs]
    texts += [f"{theirs}-pool", f"{theirs}visit", f"R{Recharge.objects.count() + 1}"]
    for text in texts:
        for row in palette.things(reader(world, name), text):
            seen = f"{row.name} {row.detail} {row.url}".lower().replace("account", "")
            assert theirs not in seen.replace("another", ""), (text, row)


def test_an_owner_finds_the_own_things_and_an_agent_none_of_them(world: World) -> None:
    fill(world, "own")
    assert {f"Zebra {kind} own" for kind in ("pool", "desk", "gate", "group")} <= found(
        world, "owner", "zebra"
    )
    assert found(world, "agent", "zebra") == set()
    assert found(world, "payer", "zebra pool") == set()
    assert "Zebra tariff own" in found(world, "payer", "zebra tariff")


def test_a_campaign_is_found_by_its_number_and_a_top_up_by_its_own(world: World) -> None:
    fill(world, "own")
    campaign = Campaign.objects.get()
    recharge = Recharge.objects.create(wallet=campaign.wallet, variant="demo", amount=10_000)
    assert campaign.name in found(world, "owner", campaign.public_id)
    assert recharge.number in found(world, "payer", recharge.number)
    assert found(world, "foreign", campaign.public_id) == set()
    assert found(world, "foreign", recharge.number) == set()


def test_people_are_found_by_name_and_address_within_the_tenant(world: World) -> None:
    world.with_everybody()
    assert "agent" in found(world, "owner", "agent@example.com")
    assert "agent" in found(world, "operate", "agent")
    assert "looker" not in found(world, "owner", "looker")
    assert "foreign" not in found(world, "owner", "foreign")
    assert "agent" not in found(world, "payer", "agent")
    assert "Own" in found(world, "operate", "own")  # an account without a balance


def test_things_of_the_platform_are_found_by_operators_alone(world: World) -> None:
    Pool.objects.create(slug="spare", name="Spare", account=None)
    assert "Spare" in found(world, "looker", "spare")
    assert "Spare" in found(world, "looker", "spr")
    assert found(world, "owner", "spare") == set()


def test_actions_are_those_that_the_reader_may_use(world: World) -> None:
    fill(world, "own")

    def actions(name: str, text: str) -> set[str]:
        groups = palette.search(reader(world, name), text)
        return {row.name for group in groups if group.name == "actions" for row in group.rows}

    assert {"New pool…", "New gate…", "New desk…"} <= actions("operate", "new")
    assert actions("looker", "new pool") == set()
    assert "Invite a person…" in actions("owner", "invite")
    assert actions("agent", "invite") == set()
    assert "Top up…" in actions("payer", "top up")
    assert "Top up…" not in actions("sender", "top up")
    assert "Import numbers into Zebra pool own…" in actions("operate", "zebra pool")
    assert not any("Import" in name for name in actions("owner", "zebra pool"))


def test_pages_are_found_by_letters_in_order_and_only_the_readers_own(world: World) -> None:
    def pages(name: str, text: str) -> list[str]:
        groups = palette.search(reader(world, name), text)
        return [row.name for group in groups if group.name == "pages" for row in group.rows]

    assert pages("operate", "money audit") == ["Money audit"]
    assert "Money audit" in pages("operate", "mnau")
    assert pages("owner", "money audit") == []
    assert pages("agent", "profile") == ["Profile"]


def test_groups_come_in_order_and_a_thing_stands_once(world: World) -> None:
    fill(world, "own")
    groups = palette.search(reader(world, "operate"), "own")
    names = [group.name for group in groups]
    assert names == [name for name in palette.GROUPS if name in names]
    accounts = next(group for group in groups if group.name == "accounts")
    assert [row.name for row in accounts.rows] == ["Own"]
    assert "available" in accounts.rows[0].detail  # from the app with more details
    only = palette.search(reader(world, "operate"), "own", only="accounts")
    assert [group.name for group in only] == ["accounts"]


def test_a_large_group_ends_with_the_way_to_all_of_it(world: World) -> None:
    pool = Pool.objects.create(slug="big", name="Big pool", account=world.own)
    Number.objects.bulk_create(
        Number(pool=pool, value=f"+861380000{n:04}") for n in range(palette.LIMIT + 2)
    )
    groups = {group.name: group for group in palette.search(reader(world, "operate"), "big")}
    assert [row.name for row in groups["numbers"].rows] == ["All 8 numbers of Big pool"]
    numbers = palette.search(reader(world, "operate"), "+86138")[0]
    assert len(numbers.rows) == palette.LIMIT + 1
    assert numbers.more
    assert numbers.rows[-1].url == "/numbers/?q=%2B86138"


def test_a_failing_part_is_left_out_and_exact_ones_come_first(world: World) -> None:
    def parts(_principal: Principal, text: str, limit: int) -> list[console.Found]:
        assert limit == palette.LIMIT
        return [
            console.Found("Number", text + "1", "east", "/n/1", group="numbers"),
            console.Found("Number", text, "east", "/n/2", exact=True, group="numbers"),
        ]

    def broken(*_: object) -> list[console.Found]:
        raise RuntimeError("no index")

    console.register_search("broken", broken)
    console.register_search("numbers", parts)
    answer = world.client("agent").get("/search/", {"q": " 138 "}).json()
    (group,) = answer["groups"]
    assert (group["name"], group["label"], group["more"]) == ("numbers", "Numbers", False)
    assert [row["url"] for row in group["results"]] == ["/n/2", "/n/1"]


@pytest.mark.parametrize("query", ["", "   ", "a\x00b", "x" * 10_000, "%", "_", "\\", "'--"])
def test_nonsense_finds_nothing_and_breaks_nothing(world: World, query: str) -> None:
    answer = world.client("operate").get("/search/", {"q": query, "in": "nonsense"})
    assert answer.status_code == 200
    assert answer.json() == {"groups": []}


def test_nobody_searches_without_logging_in() -> None:
    assert Client().get("/search/", {"q": PASSWORD}).status_code in (302, 401)


@pytest.mark.parametrize(
    ("text", "name", "rank"),
    [
        ("pools", "Pools", matching.SAME),
        ("po", "Pools", matching.BEGINS),
        ("east", "Retail East", matching.WORD),
        ("tail", "Retail East", matching.PART),
        ("rtl", "Retail East", matching.LETTERS),
        ("east ret", "Retail East", matching.WORD),
        ("nwpl", "New pool…", matching.LETTERS),
        ("客服", "客服热线", matching.BEGINS),
        ("xyz", "Retail East", None),
        ("e", "Retail East", matching.WORD),
        ("a", "Retail East", None),
        ("服", "客服热线", matching.PART),
        ("rt", "Retail East", None),
    ],
)
def test_how_well_a_name_fits(text: str, name: str, rank: int | None) -> None:
    assert matching.rank(text, [name]) == rank


LARGE = ("numbers_number", "numbers_callrecord", "billing_message", "admission_task", "line_visit")


@pytest.mark.parametrize("text", ["+86138001", "zebra", "m-1", "c0ffee00"])
def test_large_tables_are_searched_by_their_indexes(world: World, text: str) -> None:
    fill(world, "own")
    principal = reader(world, "operate")
    with CaptureQueriesContext(connection) as captured:
        palette.things(principal, text)
    asked = [query["sql"] for query in captured.captured_queries]
    assert len(asked) < 50
    if connection.vendor != "sqlite":
        return  # PostgreSQL scans tables this small without an index in any case
    plans = []
    for sql in asked:
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
            plans += [row[-1] for row in cursor.fetchall()]
    assert [step for step in plans if step in [f"SCAN {table}" for table in LARGE]] == []
