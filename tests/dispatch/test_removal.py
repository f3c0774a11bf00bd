"""What was removed is gone in both stores, stays gone, and closes what depended on it."""

import io
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.utils import timezone

from poolsite import hotpath
from poolsite.access.models import AuditEntry, Grant, User
from queueing.dispatch import dispatcher as commands
from queueing.dispatch import selectors, services
from queueing.dispatch.errors import DispatchError
from queueing.dispatch.models import Group, Instance, UnsentChange
from tests.dispatch.people import SLUG, back, front, make_group, row_of, show
from tests.dispatch.upgrading import begin

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

PAGE = f"/groups/{SLUG}/"


def run(*words: str) -> str:
    out = io.StringIO()
    call_command("dispatch", *words, stdout=out)
    return out.getvalue()


@pytest.fixture
def browser() -> Client:
    """A browser of an operator who may act."""
    user = User.objects.create_user("op", is_operator=True)
    Grant.objects.create(user=user, name="operate")
    client = Client()
    client.force_login(user)
    return client


def rebuilt(group: Group) -> None:
    """Let Redis lose its data: SQL knows the names, and nothing is linked any more."""
    group.refresh_from_db()
    hotpath.client().flushdb()
    assert services.group_rebuild(group, "test")
    services.note_peers(0, 1)


# -- a group ---------------------------------------------------------------------------------------


def test_a_page_deletes_a_group_after_its_short_name_and_a_reason(browser: Client) -> None:
    group = make_group(name="<Servers>")
    page = browser.get(f"{PAGE}settings/").content.decode()
    assert f"Enter {SLUG} to confirm" in page
    assert f'action="{PAGE}delete/"' in page
    for given, why in (
        ({"reason": "x"}, "to confirm"),
        ({"typed": f"{SLUG}-2", "reason": "x"}, "to confirm"),
        ({"typed": SLUG, "reason": ""}, "Enter a short reason."),
    ):
        told = browser.post(f"{PAGE}delete/", given, follow=True)
        assert why in str(list(map(str, told.context["messages"])))
    front()
    told = browser.post(f"{PAGE}delete/", {"typed": SLUG, "reason": "x"}, follow=True)
    assert "1 front-end or instance is linked" in str(list(map(str, told.context["messages"])))
    assert Group.objects.filter(pk=group.pk).exists()
    rebuilt(group)
    told = browser.post(f"{PAGE}delete/", {"typed": SLUG, "reason": "Moved"}, follow=True)
    assert told.redirect_chain == [("/groups/", 302)]
    assert "deleted" in str(list(map(str, told.context["messages"])))
    assert browser.get(PAGE).status_code == 404
    assert not hotpath.client().keys("*disp*")
    assert "deleted the group" in browser.get("/history/").content.decode()


def test_a_deletion_that_redis_did_not_hear_of_is_finished_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    group = make_group()
    sent: list[str] = []
    destroy = commands.destroy

    def lost(slug: str, generation: int) -> Any:
        sent.append(slug)
        raise hotpath.Unavailable("away")

    monkeypatch.setattr(commands, "destroy", lost)
    services.group_delete(actor="test", group=group, reason="Moved")
    assert sent == [SLUG]
    assert show().sessions == 0
    monkeypatch.setattr(commands, "destroy", destroy)
    UnsentChange.objects.update(created_at=timezone.now() - timedelta(minutes=1))
    assert services.watch_groups(0, 1)["resent"] == 1
    assert not hotpath.client().keys("*disp*")
    assert not UnsentChange.objects.exists()


def test_a_rebuild_that_meets_a_deletion_leaves_nothing() -> None:
    group = make_group()
    seen = Group.objects.get(pk=group.pk)  # by a worker, before the deletion
    services.group_delete(actor="test", group=group, reason="Moved")
    assert not services.group_check(seen, None)
    assert not hotpath.client().keys("*disp*")


# -- a name ----------------------------------------------------------------------------------------


def test_a_page_removes_the_name_of_a_stopped_instance(browser: Client) -> None:
    group = make_group()
    back("as-1")
    services.note_peers(0, 1)
    rebuilt(group)
    words = {"verb": "forget", "name": "as-1", "reason": "Scrapped"}
    for bad in ({"reason": ""}, {"name": "none"}):
        browser.post(f"{PAGE}act/", {**words, **bad})
    assert Instance.objects.filter(name="as-1").exists()
    told = browser.post(f"{PAGE}act/", words, follow=True)
    assert "Instance name as-1 removed." in list(map(str, told.context["messages"]))
    assert "as-1" not in hotpath.run(commands.names(SLUG))
    assert "removed the instance name as-1" in browser.get("/history/").content.decode()


def test_a_removed_name_stays_gone_and_its_upgrades_still_show_it() -> None:
    group = make_group()
    back("as-1")
    back("as-2")
    upgrade = begin(group)
    with pytest.raises(DispatchError, match="linked or pending"):
        services.name_forget(actor="test", group=group, name="as-1", reason="x")
    rebuilt(group)
    with pytest.raises(DispatchError, match="running upgrade"):
        services.name_forget(actor="test", group=group, name="as-1", reason="x")
    services.upgrade_abort(actor="test", upgrade=upgrade, reason="x")
    services.name_forget(actor="test", group=group, name="as-1", reason="x")
    assert [step["name"] for step in selectors.upgrade_out(upgrade)["steps"]] == ["as-1", "as-2"]
    services.note_peers(0, 1)
    services.bring_to_redis(group)
    assert "as-1" not in hotpath.run(commands.names(SLUG))
    rebuilt(group)
    assert list(hotpath.run(commands.names(SLUG))) == ["as-2"]
    with pytest.raises(DispatchError, match="not found"):
        services.name_forget(actor="test", group=group, name="as-1", reason="again")
    assert AuditEntry.objects.filter(action="dispatch.name_forget").count() == 1


@pytest.mark.parametrize("how", ["registers", "is set"])
def test_a_removed_name_is_back_as_a_new_one(how: str) -> None:
    group = make_group()
    services.instance_set(actor="test", group=group, name="as-1", state="drain", reason="disk")
    services.name_forget(actor="test", group=group, name="as-1", reason="Scrapped")
    if how == "registers":
        back("as-1")
        services.note_peers(0, 1)
        assert row_of("as-1").manual == "open"
    else:
        services.instance_set(actor="test", group=group, name="as-1", state="open")
    row = Instance.objects.get(name="as-1")
    assert (row.manual_state, row.manual_reason, row.forgotten_at) == ("open", "", None)


def test_a_removal_that_redis_did_not_hear_of_is_drift_that_is_mended() -> None:
    group = make_group()
    services.instance_set(actor="test", group=group, name="as-1", state="drain", reason="disk")
    Instance.objects.update(forgotten_at=timezone.now(), manual_state="open")
    assert services.differences(group) == {"removed names": 1}
    services.bring_to_redis(group)
    assert services.differences(group) == {}


# -- by command ------------------------------------------------------------------------------------


def test_commands_do_what_the_pages_do() -> None:
    run("create", SLUG, "--name", "Servers", "--out-limit", "40")
    assert run("set", SLUG, "--disconnect-seconds", "90", "--reason", "Slow") == (
        f"{SLUG}: disconnect_seconds: 60 → 90\n"
    )
    assert (show().settings.disconnect_seconds, show().settings.out_limit) == (90, 40)
    assert AuditEntry.objects.get(action="dispatch.group_configure").reason == "Slow"
    assert "out_limit" in run("show", SLUG)
    instance, sip = back("as-1"), front()
    back("as-2")
    session = sip.start("1")
    told = run("sessions", SLUG, sip.key)
    assert f"{session}  sip-1 → as-1  in progress" in told
    assert "1 sessions" in told
    assert "0 sessions" in run("sessions", SLUG, row_of("as-2").key)
    run("upgrade", SLUG, "2.0")
    services.tick_upgrades()
    assert "as-1=draining(1)" in run("upgrades", SLUG)
    assert run("force", SLUG, "--reason", "Late") == "1 sessions ended\n"
    run("abort", SLUG, "--reason", "No")
    session = sip.start("2")
    run("end-session", SLUG, session, "--reason", "Stuck")
    assert hotpath.run(commands.route(SLUG, session)) is None
    assert "link closed" in run("disconnect", SLUG, instance.key, "--reason", "Stuck")
    assert row_of("as-1").state == "pending"
    run("open", SLUG, "old")
    assert run("forget", SLUG, "old", "--reason", "Scrapped") == "old: removed\n"
    rebuilt(Group.objects.get())
    assert run("delete", SLUG, "--reason", "Moved") == f"Group {SLUG} deleted.\n"
    assert not hotpath.client().keys("*disp*")


@pytest.mark.parametrize(
    "words",
    [
        ("set", SLUG),
        ("set", SLUG, "--missed-limit", "0"),
        ("delete", SLUG),
        ("delete", SLUG, "--reason", "peers are linked"),
        ("forget", SLUG, "as-1", "--reason", "linked"),
        ("disconnect", SLUG, "f:none", "--reason", "x"),
        ("end-session", SLUG, "sip-1/none", "--reason", "x"),
        ("sessions", SLUG, "f:none"),
        ("force", SLUG, "--reason", "nothing runs"),
        ("events", SLUG, "--event", "none"),
        ("events", SLUG, "--since", "now"),
    ],
)
def test_bad_words_change_nothing(words: tuple[str, ...]) -> None:
    make_group()
    back("as-1")
    before = (show().seq, AuditEntry.objects.filter(action="dispatch.group_delete").count())
    with pytest.raises(CommandError):
        run(*words)
    assert (show().seq, AuditEntry.objects.filter(action="dispatch.group_delete").count()) == before
    assert Group.objects.exists()
