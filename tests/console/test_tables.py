"""Lists sorted by SQL: pages by key in any order, complete results as CSV, filters in the URL."""

import csv
import io
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from poolsite import operations
from poolsite.access import audit, principal_of_user, services
from poolsite.access.models import Account, ApiToken, AuditEntry, User
from poolsite.console import tables
from poolsite.console.tables import NEWEST_FIRST, SqlColumn, Term
from poolsite.operations import tags_and_notes
from poolsite.operations.models import Incident
from tests.access.world import World, make_world

USED = [
    SqlColumn(
        "used", "Used", lambda token: token.last_used_at, order=("last_used_at",), nullable=True
    ),
    SqlColumn("name", "Name", lambda token: token.name, order=("name",)),
    SqlColumn("switch", "", lambda token: token.switch),
]


@pytest.fixture
def world(db: None) -> World:
    return make_world().with_everybody()


def token(account: Account | None, name: str, **given: Any) -> ApiToken:
    made, _ = services.token_create(name=name, account=account, resources=["*"], actor="test")
    ApiToken.objects.filter(pk=made.pk).update(**given)
    return made


def file_of(client: Any, address: str) -> list[dict[str, str]]:
    answer = client.get(address)
    assert answer["Content-Type"].startswith("text/csv")
    return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))


def walk(rows: Any, order: Any) -> tuple[list[str], list[str]]:
    """Return the names on the way to the last page, and those on the way back to the first."""
    page = tables.page_of(rows, order)
    there = [row.name for row in page.rows]
    while page.after is not None:
        page = tables.page_of(rows, order, after=page.after)
        there += [row.name for row in page.rows]
    back = [row.name for row in page.rows]
    while page.before is not None:
        page = tables.page_of(rows, order, before=page.before)
        back = [row.name for row in page.rows] + back
    return there, back


@pytest.mark.parametrize(
    ("sort", "names"),
    [
        ("", "g f e d c b a"),
        ("used", "c b a g f e d"),
        ("-used", "a b c d e f g"),
        ("name", "a b c d e f g"),
        ("-name", "g f e d c b a"),
        ("switch", "g f e d c b a"),
        ("nothing", "g f e d c b a"),
    ],
)
def test_pages_follow_each_other_in_any_order_and_lead_back(
    world: World, monkeypatch: pytest.MonkeyPatch, sort: str, names: str
) -> None:
    """d to g were never used. Unknown values come last in either direction."""
    monkeypatch.setattr(tables, "PAGE_ROWS", 2)
    now = timezone.now()
    for age, name in enumerate("abcdefg"):
        used = now - timedelta(hours=age) if name < "d" else None
        token(world.own, name, last_used_at=used)
    order = tables.order_of(USED, sort)
    there, back = walk(ApiToken.objects.all(), order)
    assert there == back == names.split()


def test_equal_rows_are_on_one_page_each(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "PAGE_ROWS", 2)
    for _ in range(5):
        token(world.own, "same")
    order = tables.order_of(USED, "name")
    page, keys = tables.page_of(ApiToken.objects.all(), order), []
    keys += [row.pk for row in page.rows]
    while page.after is not None:
        page = tables.page_of(ApiToken.objects.all(), order, after=page.after)
        keys += [row.pk for row in page.rows]
    assert keys == sorted(ApiToken.objects.values_list("pk", flat=True), reverse=True)


def test_a_key_that_left_the_list_leads_to_its_beginning(world: World) -> None:
    gone = token(world.own, "b", revoked_at=timezone.now())
    token(world.own, "a")
    rows = ApiToken.objects.filter(revoked_at=None)
    for key in ({"after": gone.pk}, {"before": gone.pk}, {"after": 10**17}):
        page = tables.page_of(rows, [Term("name"), Term("pk", falling=True)], **key)
        assert [row.name for row in page.rows] == ["a"]
        assert page.before is None


@pytest.mark.parametrize("order", [NEWEST_FIRST, [Term("name"), Term("pk", falling=True)]])
def test_a_page_whose_rows_are_gone_leads_to_the_beginning(
    world: World, order: Sequence[Term]
) -> None:
    """For example, the last row of the last page was deleted."""
    kept = token(world.own, "a")
    for key in ({"after": kept.pk}, {"before": kept.pk}):
        page = tables.page_of(ApiToken.objects.all(), order, **key)
        assert ([row.name for row in page.rows], page.after, page.before) == (["a"], None, None)


# -- the pages -------------------------------------------------------------------------------------


def entry(account: Account, n: int) -> AuditEntry:
    return audit(actor="test", action="test.do", thing=account, after={"n": n}, reason="=1+1")


def filled(world: World) -> None:
    """Create rows for each list, with texts that a spreadsheet would compute."""
    token(world.own, "=cmd()")
    token(world.own, "zebra")
    User.objects.filter(username="agent").update(first_name="=cmd()", email="")
    entry(world.own, 1)
    for name in ("=a", "b"):
        operations.incidents.open(
            type="test.alarm", object=name, severity="warning", title=name, account=world.own
        )
        operations.incidents.close(type="test.alarm", object=name)


LISTS = {
    "/accounts/": ("name", "slug", "zone", "currency", "since"),
    "/accounts/own/people/": ("name", "email", "factor", "last_login"),
    "/operators/": ("name", "email", "factor", "last_login"),
    "/tokens/": ("name", "account", "used", "ends"),
    "/incidents/": ("what", "since", "until", "known"),
}


@pytest.mark.parametrize("path", LISTS)
def test_each_list_sorts_by_its_heads_and_exports_what_it_shows(world: World, path: str) -> None:
    filled(world)
    client = world.client("operate")
    for column in LISTS[path]:
        for sort, way in ((column, "ascending"), (f"-{column}", "descending")):
            answer = client.get(f"{path}?sort={sort}")
            page = answer.content.decode()
            assert f'aria-sort="{way}"' in page, sort
            shown = answer.context["rows"]
            keys = [row[0].pk if isinstance(row, tuple) else row.pk for row in shown]
            assert len(file_of(client, f"{path}?sort={sort}&format=csv")) == len(keys) > 1
        both = [
            [str(row) for row in client.get(f"{path}?sort={sort}").context["rows"]]
            for sort in (column, f"-{column}")
        ]
        assert sorted(both[0]) == sorted(both[1])
    assert 'id="save-view"' in client.get(path).content.decode()
    assert "format=csv" in client.get(path).content.decode()


@pytest.mark.parametrize("path", ["/accounts/own/people/", "/tokens/", "/incidents/", "/history/"])
def test_no_file_runs_anything_in_a_spreadsheet(world: World, path: str) -> None:
    filled(world)
    text = world.client("operate").get(f"{path}?format=csv").content.decode()
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert any(cell.startswith("'=") for cell in cells)
    assert not any(cell.startswith(("=", "+", "@")) for cell in cells)


def test_a_file_has_the_whole_result_up_to_its_bound(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = tables.PAGE_ROWS + 5
    for n in range(count):
        entry(world.own, n)
    client = world.client("owner")
    rows = file_of(client, "/history/?action=test.do&sort=when&format=csv")
    assert [row["to"] for row in rows] == [f'{{"n": {n}}}' for n in range(count)]
    monkeypatch.setattr(tables, "CSV_ROWS", 3)
    rows = file_of(client, "/history/?action=test.do&format=csv")
    assert [row["to"] for row in rows] == [f'{{"n": {count - n}}}' for n in (1, 2, 3)]


def test_filters_and_order_stay_in_the_address_from_page_to_page(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "PAGE_ROWS", 2)
    for n in range(5):
        token(world.own, f"device-{n}")
    token(world.own, "other")
    client = world.client("owner")
    seen, address = [], "?q=device&state=live&sort=-name"
    while address:
        answer = client.get(f"/tokens/{address}")
        seen += [row.name for row, _words in answer.context["rows"]]
        address = answer.context["next_url"]
    assert seen == [f"device-{n}" for n in (4, 3, 2, 1, 0)]
    page = client.get("/tokens/?q=device&state=live&sort=-name").content.decode()
    assert 'name="sort" value="-name"' in page
    assert '<option value="live" selected>' in page
    assert "?format=csv&amp;q=device&amp;sort=-name" in page


def test_a_file_holds_nothing_of_another_tenant(world: World) -> None:
    for account in (world.own, world.other, None):
        token(account, f"of-{account}")
        operations.incidents.open(
            type="t", object=f"of-{account}", severity="warning", title="x", account=account
        )
    client = world.client("owner")
    assert {row["name"] for row in file_of(client, "/tokens/?format=csv")} == {"of-Own"}
    open_ones = file_of(client, "/incidents/?state=open&format=csv")
    assert {row["object"] for row in open_ones} == {"of-Own"}
    assert {row["slug"] for row in file_of(client, "/accounts/?format=csv")} == {"own"}
    assert {row["account"] for row in file_of(client, "/history/?format=csv")} <= {"own"}
    assert client.get("/accounts/other/people/?format=csv").status_code == 404
    assert world.client("agent").get("/tokens/?format=csv").status_code == 403


def test_people_are_found_by_the_beginning_of_a_name_and_by_role(world: World) -> None:
    User.objects.filter(username="agent").update(first_name="Lin", last_name="Mei")
    client = world.client("owner")

    def names(query: str) -> list[str]:
        rows = client.get(f"/accounts/own/people/?{query}").context["rows"]
        return [row.username for row in rows]

    assert names("q=mei") == names("role=agent") == ["agent"]
    assert names("q=nobody") == []
    page = client.get("/accounts/own/people/?q=nobody").content.decode()
    assert "No matches" in page
    [row] = file_of(client, "/accounts/own/people/?role=agent&format=csv")
    assert (row["name"], row["username"], row["roles"]) == ("Lin Mei", "agent", "agent")


def test_tokens_are_filtered_by_what_became_of_them(world: World) -> None:
    token(world.own, "live")
    token(world.own, "expired", expires_at=timezone.now() - timedelta(days=1))
    token(world.own, "revoked", revoked_at=timezone.now())
    client = world.client("owner")
    for state in ("live", "expired", "revoked"):
        rows = client.get(f"/tokens/?state={state}").context["rows"]
        assert [row.name for row, _words in rows] == [state]
    assert len(client.get("/tokens/?state=all").context["rows"]) == 3
    assert len(client.get("/tokens/").context["rows"]) == 1


def test_incidents_are_filtered_by_whether_they_are_over_and_how_bad_they_are(world: World) -> None:
    for name, severity in (("open", "critical"), ("over", "warning")):
        operations.incidents.open(
            type="t", object=name, severity=severity, title=name, account=world.own
        )
    operations.incidents.close(type="t", object="over")
    client = world.client("operate")

    def objects(query: str) -> set[str]:
        rows: list[Incident] = client.get(f"/incidents/?{query}").context["rows"]
        return {row.object for row in rows}

    assert objects("") == {"over"}
    assert objects("state=open") == {"open"}
    assert objects("state=all") == {"open", "over"}
    assert objects("state=all&severity=critical") == {"open"}
    assert objects("state=all&q=ov") == {"over"}
    assert "Still open" in client.get("/incidents/?state=open").content.decode()


def test_tags_of_accounts_are_shown_to_operators_alone(world: World) -> None:
    operator = principal_of_user(world.users["operate"])
    tags_and_notes.set_tags(world.own, ["late payer"], actor=operator)
    rows = world.client("operate").get("/accounts/?tag=late+payer").context["rows"]
    assert [row.slug for row in rows] == ["own"]
    assert "late payer" in world.client("looker").get("/accounts/").content.decode()
    page = world.client("owner").get("/accounts/?tag=another")
    assert [row.slug for row in page.context["rows"]] == ["own"]
    assert "late payer" not in world.client("owner").get("/accounts/").content.decode()
