"""Use cases of groups and instances: SQL, Redis and the audit log agree."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from poolsite import hotpath
from poolsite.access.models import AuditEntry
from queueing.dispatch import dispatcher as commands
from queueing.dispatch import services
from queueing.dispatch.errors import DispatchError
from queueing.dispatch.models import (
    DispatchEvent,
    FrontEnd,
    Group,
    Instance,
    MinuteSample,
    UnsentChange,
)
from queueing.dispatch.services.groups import apply_settings
from tests.dispatch.people import SLUG, back, drain, front, make_group, row_of, show

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


def test_a_group_is_made_in_both_stores_and_its_slug_is_never_given_again() -> None:
    group = make_group(heartbeat_seconds=2, sharing="turn")
    assert (show().settings.heartbeat_seconds, show().settings.sharing) == (2, "turn")
    assert not UnsentChange.objects.exists()
    services.group_delete(actor="test", group=group, reason="not needed")
    assert hotpath.run(commands.show(SLUG)) is None
    with pytest.raises(ValidationError):
        make_group()
    actions = list(AuditEntry.objects.order_by("pk").values_list("action", flat=True))
    assert actions == ["dispatch.group_create", "dispatch.group_delete"]


@pytest.mark.parametrize(
    "bad",
    [
        {"slug": "A b"},
        {"heartbeat_seconds": 0},
        {"missed_limit": 100},
        {"sharing": "luck"},
        {"out_limit": 100_000},
        {"timed_route_seconds": 600, "route_limit_seconds": 60},
        {"colour": "red"},
    ],
)
def test_bad_settings_are_refused_and_nothing_is_made(bad: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        make_group(**bad)
    assert not Group.objects.exists()


def test_settings_change_in_both_stores() -> None:
    group = make_group()
    services.group_configure(actor="test", group=group, disconnect_seconds=7)
    assert show().settings.disconnect_seconds == 7
    assert AuditEntry.objects.get(action="dispatch.group_configure").after == {
        "disconnect_seconds": 7
    }


def test_a_slow_sender_does_not_undo_a_newer_change() -> None:
    group = make_group(disconnect_seconds=60)
    seen = Group.objects.get(pk=group.pk)  # by a worker, before the change
    services.group_configure(actor="test", group=group, disconnect_seconds=90)
    apply_settings(seen)
    assert show().settings.disconnect_seconds == 90


def test_a_group_with_links_is_not_deleted() -> None:
    group = make_group()
    front()
    with pytest.raises(DispatchError, match="linked"):
        services.group_delete(actor="test", group=group, reason="x")
    assert Group.objects.filter(pk=group.pk).exists()


def test_front_ends_that_are_gone_for_long_are_forgotten_and_one_that_returns_is_noted() -> None:
    group = make_group()
    old = timezone.now() - timedelta(days=8)
    for peer_id in ("sip-1", "sip-2"):
        FrontEnd.objects.create(group=group, peer_id=peer_id)  # never seen while it was active
    FrontEnd.objects.update(created_at=old)
    front(peer_id="sip-1")
    services.note_peers(0, 1)
    row = FrontEnd.objects.get()
    assert (row.peer_id, row.link_state) == ("sip-1", "active")


# -- the manual state ------------------------------------------------------------------------------


def test_a_drained_instance_keeps_its_sessions_and_takes_no_new_ones() -> None:
    group = make_group()
    one, two = back("as-1"), back("as-2")
    caller = front()
    sessions = [caller.start(str(n)) for n in range(4)]
    held = row_of("as-1").sessions
    assert held == 2
    services.instance_set(
        actor="test", group=group, name="as-1", state="drain", reason="disk is full"
    )
    more = [caller.start(f"more{n}") for n in range(3)]
    assert row_of("as-1").sessions == held
    assert row_of("as-2").sessions == len(sessions) + len(more) - held
    row = Instance.objects.get(name="as-1")
    assert (row.manual_state, row.manual_reason, row.manual_by) == ("drain", "disk is full", "test")
    assert (one.id, two.id) == (row_of("as-1").id, row_of("as-2").id)


def test_a_blocked_instance_loses_its_sessions_and_both_ends_are_told() -> None:
    group = make_group()
    server, caller = back("as-1"), front()
    session = caller.start("1")
    services.instance_set(actor="test", group=group, name="as-1", state="blocked", reason="broken")
    assert hotpath.run(commands.route(SLUG, session)) is None  # at once, by no other process
    for peer in (caller, server):
        assert any(entry.kind in ("end", "peer-lost") for entry in peer.outbox())


def test_the_manual_state_survives_a_restart_and_a_loss_of_redis() -> None:
    group = make_group()
    back("as-1").leave()
    services.instance_set(actor="test", group=group, name="as-1", state="drain", reason="x")
    again = back("as-1", boot="boot2")
    assert again.arrival in ("new", "restart")
    assert row_of("as-1").manual == "drain"
    Group.objects.filter(pk=group.pk).update(created_at=timezone.now() - timedelta(days=1))
    hotpath.client().flushdb()
    services.watch_groups(0, 1)
    back("as-1", boot="boot3")
    assert row_of("as-1").manual == "drain"
    assert Instance.objects.get(name="as-1").manual_state == "drain"


def test_an_instance_opens_when_its_time_has_passed_and_the_log_says_so() -> None:
    group = make_group()
    back("as-1")
    until = timezone.now() + timedelta(hours=1)
    services.instance_set(
        actor="test", group=group, name="as-1", state="drain", reason="lunch", until=until
    )
    assert services.end_untils() == {"opened": 0}
    Instance.objects.update(manual_until=timezone.now() - timedelta(seconds=1))
    assert services.end_untils() == {"opened": 1}
    assert services.end_untils() == {"opened": 0}
    assert row_of("as-1").manual == "open"
    drain(group)
    events = list(
        DispatchEvent.objects.filter(name="as-1").order_by("seq").values_list("event", flat=True)
    )
    assert events[-2:] == ["drain", "open"]
    assert AuditEntry.objects.filter(actor_name="dispatch.until").count() == 1


@pytest.mark.parametrize(
    "bad",
    [
        {"state": "broken"},
        {"name": "a/b"},
        {"name": "x" * 41},
        {"until": timezone.now() - timedelta(minutes=1)},
        {"state": "open", "until": timezone.now() + timedelta(minutes=1)},
    ],
)
def test_a_bad_manual_state_is_refused(bad: dict[str, object]) -> None:
    group = make_group()
    good = {"name": "as-1", "state": "drain", "reason": "why"}
    with pytest.raises(DispatchError):
        services.instance_set(actor="test", group=group, **{**good, **bad})
    assert not Instance.objects.exclude(manual_state="open").exists()


def test_a_drain_needs_a_reason() -> None:
    group = make_group()
    with pytest.raises(ValidationError, match="Enter a short reason"):
        services.instance_set(actor="test", group=group, name="as-1", state="drain", reason=" ")
    assert not Instance.objects.exists()


def test_what_redis_missed_is_sent_later() -> None:
    group = make_group()
    back("as-1")
    Instance.objects.update_or_create(
        group=group, name="as-1", defaults={"manual_state": "drain", "manual_reason": "x"}
    )
    UnsentChange.objects.create(group=group, created_at=timezone.now() - timedelta(minutes=1))
    assert services.differences(group) == {"manual state": 1}
    services.watch_groups(0, 1)
    assert row_of("as-1").manual == "drain"
    assert services.differences(group) == {}
    assert not UnsentChange.objects.exists()


# -- peers and sessions ----------------------------------------------------------------------------


def test_an_operator_ends_a_session_and_closes_a_link() -> None:
    group = make_group()
    server, caller = back("as-1"), front()
    session = caller.start("1")
    services.session_end(actor="test", group=group, session=session, reason="asked for")
    assert hotpath.run(commands.route(SLUG, session)) is None
    assert any(entry.kind == "end" for entry in server.outbox())
    with pytest.raises(DispatchError, match="Session not found"):
        services.session_end(actor="test", group=group, session=session, reason="again")
    services.peer_disconnect(actor="test", group=group, peer=server.key, reason="maintenance")
    assert row_of("as-1").state == "pending"
    with pytest.raises(DispatchError):
        services.peer_disconnect(actor="test", group=group, peer="b:nobody", reason="x")


def test_peers_are_noted_and_their_end_too() -> None:
    group = make_group(disconnect_seconds=1)
    back("as-1", version="2.1", capacity=7)
    front("asi", "sip-9")
    services.note_peers(0, 1)
    row = Instance.objects.get(group=group, name="as-1")
    assert (row.version, row.capacity, row.link_state) == ("2.1", 7, "active")
    assert FrontEnd.objects.get(group=group).link_state == "active"
    assert row.last_seen_at is not None
    assert services.note_peers(0, 1)["rows"] == 0  # nothing new: nothing written


def test_a_minute_has_one_sample() -> None:
    make_group()
    back("as-1")
    caller = front()
    services.sample_take(timezone.now() - timedelta(minutes=1))
    caller.start("1")
    services.sample_take()
    services.sample_take()
    sample = MinuteSample.objects.order_by("-minute")[0]
    assert (MinuteSample.objects.count(), sample.sessions, sample.started) == (2, 1, 1)


def test_an_incident_stands_while_no_instance_takes_sessions() -> None:
    group = make_group()
    front()
    assert services.check_alarms()["standing"] == 1
    back("as-1")
    assert services.check_alarms()["standing"] == 0
    services.instance_set(actor="test", group=group, name="as-1", state="drain", reason="x")
    assert services.check_alarms()["standing"] == 1
