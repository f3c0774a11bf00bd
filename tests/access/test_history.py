"""The history's page: sentences by day, facets in the URL, the stored change, a file."""

import csv
import io
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from numbers.services import pool_configure, pool_create
from poolsite import access
from poolsite.access import context, principal_of_user, selectors
from poolsite.access.models import AuditEntry, User
from poolsite.console import tables
from tests.access.world import World, make_world


@pytest.fixture
def world(db: None) -> World:
    return make_world()


def write(thing: object | None = None, **given: Any) -> AuditEntry:
    with transaction.atomic():
        given = {"actor": "test", "action": "test.do", **given}
        return access.audit(thing=thing, **given)


def page_of(world: World, query: str = "", reader: str = "looker", **headers: str) -> str:
    return str(world.client(reader).get(f"/history/{query}", headers=headers).content.decode())


def shown(world: World, query: str, reader: str = "looker") -> list[str]:
    rows = world.client(reader).get(f"/history/{query}").context["rows"]
    return [row.said.text for row in rows]


def changed_pool(world: World) -> AuditEntry:
    operator = world.users["operate"]
    User.objects.filter(pk=operator.pk).update(first_name="Lin", last_name="Mei")
    actor = principal_of_user(operator)
    pool = pool_create(actor=actor, slug="own-pool", name="Retail East", account=world.own)
    pool_configure(actor=actor, pool=pool, reason="a <b>busy</b> week", lease_seconds=7_200)
    return AuditEntry.objects.order_by("-pk")[0]


def test_a_row_is_a_sentence_with_its_reason_and_the_stored_change_behind_a_disclosure(
    world: World,
) -> None:
    made = changed_pool(world)
    page = page_of(world, f"?entry={made.pk}")
    assert "<b>Lin Mei</b> changed “<b>" in page
    assert '<a href="/pools/own-pool/">Retail East</a>' in page
    assert "to <b>2 h</b>" in page
    assert "a &lt;b&gt;busy&lt;/b&gt; week" in page
    before, _details, after = page.partition("<details")
    assert "lease_seconds" not in before
    assert "lease_seconds" in after
    assert "numbers.pool_configure" not in before.split("</form>")[-1]
    assert page.count('class="change"') == 1


def test_times_are_the_readers_and_the_exact_moment_stands_beside(world: World) -> None:
    write(world.own)
    looker = world.users["looker"]
    User.objects.filter(pk=looker.pk).update(zone="America/New_York")
    page = page_of(world)
    made = AuditEntry.objects.order_by("-pk")[0]
    local = made.at.astimezone(ZoneInfo("America/New_York"))
    assert f'<span class="change__clock">{local:%H:%M}</span>' in page
    assert f'<time datetime="{local.isoformat()}"' in page
    assert f'title="{local:%-d %b, %H:%M:%S}"' in page
    assert "Times in America/New_York" in page


def test_days_are_headings(world: World) -> None:
    write(world.own)
    page = page_of(world)
    assert '<h2 class="history__day">Today, ' in page
    assert page.count("history__day") == 1


def test_the_page_speaks_chinese(world: World) -> None:
    made = changed_pool(world)
    User.objects.filter(pk=world.users["looker"].pk).update(locale="zh-hans")
    page = page_of(world, f"?entry={made.pk}")
    assert "<b>Lin Mei</b>将“<a" in page
    assert "改为<b>2小时</b>" in page
    assert "今天，" in page
    assert "存储的更改（JSON）" in page


def test_facets_are_in_the_address_and_each_has_a_chip_in_words(world: World) -> None:
    changed_pool(world)
    write(world.own, actor=world.users["owner"])
    assert shown(world, "?action=numbers.pool_create") == ["Lin Mei created the pool Retail East"]
    assert shown(world, "?actor=operate&thing_kind=pool&thing_id=own-pool") == shown(
        world, "?actor=operate"
    )
    assert len(shown(world, "?action=numbers.")) == 2
    assert shown(world, "?action=numbers.pool") == []
    page = page_of(world, "?action=numbers.pool_create&thing_kind=pool&actor=operate")
    assert "Action <b>Pools: Created the pool …</b>" in page
    assert "Type <b>Pool</b>" in page
    assert "User <b>Lin Mei</b>" in page
    assert '<option value="numbers.pool_create" selected>Created the pool …</option>' in page
    assert '<optgroup label="Pools">' in page
    assert '<option value="operate" label="Lin Mei">' in page


def test_a_span_of_days_is_the_readers_and_is_found_by_the_index_of_times(world: World) -> None:
    for _ in range(3):
        write(world.own)
    zone = "Pacific/Kiritimati"  # the zone in which a day begins first
    User.objects.filter(pk=world.users["looker"].pk).update(zone=zone)
    today = timezone.localdate(timezone=ZoneInfo(zone))
    with CaptureQueriesContext(connection) as asked:
        inside = shown(world, f"?since={today}&until={today}&action=test.do")
    assert len(inside) == 3
    [sql] = [
        each["sql"] for each in asked.captured_queries if "access_auditentry" in each["sql"]
        and '"access_auditentry"."at" >=' in each["sql"]
    ]  # fmt: skip
    assert 'ORDER BY "access_auditentry"."at" DESC, "access_auditentry"."id" DESC' in sql
    later = today + timedelta(days=2)
    assert shown(world, f"?since={later}") == []


@pytest.mark.parametrize(
    ("facet", "index"),
    [
        ({}, ""),
        ({"thing_kind": "account"}, "access_audit_kind"),
        ({"action": "test.do"}, "access_audit_action"),
        ({"actor": "test"}, "access_audit_actor"),
        ({"thing_kind": "account", "thing_id": "own"}, "access_audit_thing"),
    ],
)
def test_no_facet_sorts_or_reads_the_whole_log(
    world: World, facet: dict[str, str], index: str
) -> None:
    rows = selectors.history(principal_of_user(world.users["looker"]), **facet)
    plan = rows[: tables.PAGE_ROWS + 1].explain()
    assert index in plan
    assert "TEMP B-TREE" not in plan


def test_pages_of_a_span_of_days_follow_each_other(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "PAGE_ROWS", 2)
    for n in range(5):
        write(world.own, label=str(n))
    client = world.client("looker")
    seen, address = [], "?since=2000-01-01&action=test.do"
    while address:
        answer = client.get(f"/history/{address}")
        seen += [row.entry.thing_label for row in answer.context["rows"]]
        address = answer.context["next_url"]
    assert seen == ["4", "3", "2", "1", "0"]


def test_the_file_has_the_sentences_of_exactly_what_is_filtered(world: World) -> None:
    changed_pool(world)
    write(world.own, action="operations.note_add", after={"note": "x"}, label="=cmd()")
    answer = world.client("looker").get("/history/?thing_kind=pool&format=csv")
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert [row["what"] for row in rows] == shown(world, "?thing_kind=pool")
    assert rows[-1]["what"] == "Lin Mei created the pool Retail East"
    answer = world.client("looker").get("/history/?action=operations.note_add&format=csv")
    assert "'=cmd()" in answer.content.decode()


def test_a_tenant_sees_its_own_changes_and_links_to_what_it_may_open(world: World) -> None:
    changed_pool(world)
    write(world.other, label="secret of another")
    write(label="of the platform")
    page = page_of(world, reader="owner")
    assert "Retail East" in page
    assert "secret of another" not in page
    assert "of the platform" not in page
    foreign = AuditEntry.objects.filter(thing_label="secret of another").get()
    assert shown(world, f"?entry={foreign.pk}", "owner") == []
    assert world.client("agent").get("/history/").status_code == 403


def test_where_from_is_for_operators_alone(world: World) -> None:
    with context.serving("r", "192.0.2.77"):
        write(world.own)
    assert "192.0.2.77" in page_of(world)
    assert "192.0.2.77" not in page_of(world, reader="owner")


def test_an_undo_names_the_change_that_it_takes_back(world: World) -> None:
    made = changed_pool(world)
    world.client("operate").post(f"/history/{made.pk}/undo/")
    page = page_of(world, "?action=numbers.pool_configure")
    assert f'<a href="/history/?entry={made.pk}">Undoes an earlier change</a>' in page
    assert "undoes entry" not in page


def test_an_empty_log_and_an_empty_result_say_what_to_do(world: World) -> None:
    assert "No changes match" in page_of(world, "?actor=nobody-at-all")
    assert world.users["payer"]
    answer = page_of(world, reader="foreign")
    assert "Other" in answer or "No changes yet" in answer


def test_a_page_asks_for_names_and_pages_of_objects_once(world: World) -> None:
    client = world.client("looker")
    write(world.own, actor=world.users["owner"])
    client.get("/history/?action=test.do")
    with CaptureQueriesContext(connection) as few:
        client.get("/history/?action=test.do")
    for reader in ("owner", "admin", "payer"):
        write(world.own, actor=world.users[reader])
    with CaptureQueriesContext(connection) as more:
        client.get("/history/?action=test.do")
    assert len(more) == len(few)
