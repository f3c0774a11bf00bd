"""The audit log: written with the change, read by object and person, never changed."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import IntegrityError, connection, transaction

from poolsite import access
from poolsite.access import context, selectors, services
from poolsite.access.auditing import NotInTransaction
from poolsite.access.models import Account, AuditEntry
from poolsite.access.models.audit import AppendOnly
from poolsite.console import tables
from poolsite.console.sentences import Names
from poolsite.people.views.history import columns as history_columns
from poolsite.runtime.redis_server import RedisServer
from tests.access.world import World
from tests.support.waiting import patient

ROOT = Path(__file__).resolve().parents[2]


def write(thing: object | None = None, **fields: Any) -> AuditEntry:
    with transaction.atomic():
        return access.audit(actor="test", action="test.do", thing=thing, **fields)


def test_an_entry_tells_who_what_from_to_and_why(world: World) -> None:
    actor = access.principal_of_user(world.users["operate"])
    with transaction.atomic(), context.serving("request-1", "192.0.2.1"):
        entry = access.audit(
            actor=actor,
            action="numbers.pause",
            thing=world.own,
            before={"paused": False},
            after={"paused": True},
            reason="maintenance",
            job="import-7",
        )
    entry.refresh_from_db()
    assert (entry.actor_kind, entry.actor_id) == ("user", str(world.users["operate"].pk))
    assert (entry.thing_kind, entry.thing_id, entry.thing_label) == ("account", "own", "Own")
    assert entry.account_id == world.own.pk
    assert (entry.before, entry.after) == ({"paused": False}, {"paused": True})
    assert (entry.reason, entry.job) == ("maintenance", "import-7")
    assert (entry.request_id, entry.address) == ("request-1", "192.0.2.1")


def test_a_stand_in_thing_is_found_by_the_same_name_as_its_row(world: World) -> None:
    write(access.Thing("account", "own", world.own.pk))
    entry = AuditEntry.objects.filter(action="test.do").get()
    assert (entry.thing_kind, entry.thing_id) == ("account", "own")


def test_an_entry_outside_the_changes_transaction_is_refused(
    transactional_db: None, clean_redis: RedisServer
) -> None:
    with pytest.raises(NotInTransaction):
        access.audit(actor="test", action="test.do")
    assert not AuditEntry.objects.exists()


def test_a_change_that_rolls_back_leaves_no_entry(world: World) -> None:
    before = AuditEntry.objects.count()

    def fail_late() -> None:
        services.account_change(account=world.own, name="Another", actor="test")
        raise RuntimeError("undone")

    with pytest.raises(RuntimeError, match="undone"), transaction.atomic():
        fail_late()
    assert AuditEntry.objects.count() == before
    assert Account.objects.get(pk=world.own.pk).name == "Own"


def test_python_refuses_to_change_or_remove_an_entry(world: World) -> None:
    entry = write()
    entry.reason = "another"
    rows = AuditEntry.objects.filter(pk=entry.pk)
    for act in (
        entry.save,
        entry.delete,
        rows.delete,
        lambda: rows.update(reason="x"),
        lambda: AuditEntry.objects.all().delete(),
        lambda: AuditEntry.objects.bulk_update([entry], ["reason"]),
        lambda: AuditEntry.objects.update_or_create(pk=entry.pk, defaults={"reason": "x"}),
    ):
        with pytest.raises(AppendOnly):
            act()
    assert AuditEntry.objects.get(pk=entry.pk).reason == ""


@pytest.mark.parametrize(
    "statement",
    ["UPDATE access_auditentry SET reason = 'x'", "DELETE FROM access_auditentry"],
)
def test_the_database_refuses_it_too(world: World, statement: str) -> None:
    write()
    with (
        pytest.raises(IntegrityError, match="new entries only"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)


@pytest.mark.postgres
def test_postgresql_refuses_update_delete_and_truncate(postgres_url: str) -> None:
    environment = {**os.environ, "DATABASE_URL": postgres_url}
    migrate = [sys.executable, "manage.py", "migrate", "access", "--verbosity=0"]
    subprocess.run(migrate, env=environment, cwd=ROOT, check=True, timeout=patient(120))
    insert = """INSERT INTO access_auditentry (at, actor_kind, actor_id, actor_name, action,
        thing_kind, thing_id, thing_label, reason, job, request_id, address)
        VALUES (now(), 'system', '', 'test', 'test.do', '', '', '', '', '', '', '')"""
    with psycopg.connect(postgres_url, autocommit=True) as sql:
        sql.execute(insert)
        for statement in (
            "UPDATE access_auditentry SET reason = 'x'",
            "DELETE FROM access_auditentry",
            "TRUNCATE access_auditentry",
        ):
            with pytest.raises(psycopg.errors.IntegrityError, match="new entries only"):
                sql.execute(statement)
        assert sql.execute("SELECT count(*) FROM access_auditentry").fetchone() == (1,)


def test_every_service_writes_who_did_it(world: World) -> None:
    """One entry for each change, and none for a change that changes nothing."""
    user = services.user_create(username="new", actor="test")
    token, _ = services.token_create(name="t", account=None, resources=["*"], actor=user)
    invitation, _ = services.invitation_create(
        email="x@example.com", account=world.own, role="agent", actor="test"
    )
    acts = {
        "account_change": lambda: services.account_change(
            account=world.own, name="Renamed", actor=user
        ),
        "membership_set": lambda: services.membership_set(
            user=user, account=world.own, roles=["agent"], actor=user
        ),
        "grant_give": lambda: services.grant_set(user=user, name="operate", actor=user),
        "grant_take": lambda: services.grant_set(
            user=user, name="operate", granted=False, actor=user
        ),
        "user_deactivate": lambda: services.user_deactivate(user=user, actor=user, reason="x"),
        "user_activate": lambda: services.user_activate(user=user, actor=user),
        "token_revoke": lambda: services.token_revoke(token=token, actor=user),
        "profile_change": lambda: services.profile_change(user=user, actor=user, first_name="Nina"),
        "invitation_withdraw": lambda: services.invitation_withdraw(
            invitation=invitation, actor=user
        ),
    }
    for name, act in acts.items():
        before = AuditEntry.objects.count()
        act()
        act()
        entries = AuditEntry.objects.order_by("pk")[before:]
        assert [entry.action for entry in entries] == [f"access.{name}"]
        assert entries[0].actor_name == "new"


# -- reading -----------------------------------------------------------------------------


def test_a_tenant_reads_its_own_history_and_operators_all(world: World) -> None:
    write(world.own)
    write(world.other)
    write()
    seen = {
        reader: selectors.history(
            access.principal_of_user(world.users[reader]), action="test.do"
        ).count()
        for reader in ("owner", "foreign", "agent", "looker")
    }
    assert seen == {"owner": 1, "foreign": 1, "agent": 0, "looker": 3}
    assert not selectors.history(access.ANONYMOUS).exists()


def test_pages_follow_each_other_without_a_gap_while_entries_arrive(world: World) -> None:
    count = 2 * tables.PAGE_ROWS + 10
    for number in range(count):
        write(world.own, label=str(number))
    principal = access.principal_of_user(world.users["looker"])
    rows = selectors.history(principal, action="test.do")
    first = tables.page_of(rows)
    write(world.own, label="late")
    second = tables.page_of(rows, after=first.after)
    third = tables.page_of(rows, after=second.after)
    labels = [int(row.thing_label) for page in (first, second, third) for row in page.rows]
    assert labels == list(range(count - 1, -1, -1))
    assert third.after is None
    back = tables.page_of(rows, before=third.before)
    assert [row.pk for row in back.rows] == [row.pk for row in second.rows]


def test_a_page_costs_the_same_anywhere_in_a_long_log(
    world: World, django_assert_num_queries: Any
) -> None:
    AuditEntry.objects.bulk_create(
        AuditEntry(actor_kind="system", actor_name="t", action="test.do") for _ in range(2000)
    )
    principal = access.principal_of_user(world.users["looker"])
    rows = selectors.history(principal, action="test.do")
    oldest = rows.order_by("pk").first()
    assert oldest is not None
    for key in (None, oldest.pk + 60):
        with django_assert_num_queries(1):
            assert len(tables.page_of(rows, after=key).rows) == tables.PAGE_ROWS


def test_every_order_and_facet_of_the_log_is_one_of_its_indexes() -> None:
    ways = [index.fields for index in AuditEntry._meta.indexes]
    orders = [
        column.order
        for by_time in (False, True)
        for column in history_columns(Names(), by_time=by_time)
        if column.order
    ]
    assert orders == [("pk",), ("at", "pk")]
    assert ["-at", "-id"] in ways
    for facet in ("thing_kind", "actor_name", "account", "action", "job"):
        assert [facet, "-id"] in ways, facet


def test_the_page_filters_by_its_address_and_escapes_what_it_shows(world: World) -> None:
    write(world.own, reason="<script>alert(1)</script>", after={"name": "<b>x</b>"})
    write(world.own, label="other", job="import-7")
    client = world.client("looker")
    page = client.get("/history/?action=test.&job=").content.decode()
    assert "&lt;script&gt;alert(1)" in page
    assert "<b>x</b>" not in page
    only = client.get("/history/?job=import-7").content.decode()
    assert "other" in only
    assert "alert(1)" not in only


@pytest.mark.parametrize(
    "query",
    [
        "after=abc",
        "after=99999999999999999999999",
        "after=-1",
        "before=１",
        "sort=-who&after=999999999999999999",
        "sort=reason",
        "sort=%00",
        "since=2026-13-45",
        "since=0001-01-01",
        "until=9999-12-31",
        "since=%00",
        "actor=%00",
        "thing_id=" + "x" * 5000,
        "action=%25_",
    ],
)
def test_a_bad_filter_breaks_nothing(world: World, query: str) -> None:
    assert world.client("looker").get(f"/history/?{query}").status_code == 200
