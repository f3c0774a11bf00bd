"""A rolling upgrade, tick by tick: what it waits for, what it refuses, what it leaves."""

from datetime import timedelta

import pytest
from django.utils import timezone

from poolsite import hotpath
from poolsite.access.models import AuditEntry
from queueing.dispatch import dispatcher as commands
from queueing.dispatch import selectors, services
from queueing.dispatch.errors import DispatchError
from queueing.dispatch.models import Group, Upgrade, UpgradeStep
from queueing.dispatch.selectors.upgrades import count_is_late, estimate_seconds, note
from tests.dispatch.people import SLUG, back, front, make_group, row_of
from tests.dispatch.upgrading import beat_until_trusted, begin, replace, step, ticks

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


@pytest.fixture
def group() -> Group:
    """A group whose heartbeat is a second."""
    return make_group(heartbeat_seconds=1)


def test_an_upgrade_goes_through_every_instance_without_losing_a_session(group: Group) -> None:
    servers = {name: back(name) for name in ("as-1", "as-2", "as-3")}
    caller = front()
    sessions = [caller.start(str(n)) for n in range(9)]
    upgrade = begin(group)
    for place, name in enumerate(servers, start=1):
        ticks()
        assert step(upgrade, name).status == "draining"
        assert row_of(name).upgrading
        mine = [
            row.session for row in hotpath.run(commands.sessions_of(SLUG, servers[name].key)).rows
        ]
        for count, session in enumerate(mine):
            new = caller.start(f"{name}-{count}")  # new ones go elsewhere
            assert hotpath.run(commands.route(SLUG, new)).back_name != name
            ticks()
            assert step(upgrade, name).sessions == len(mine) - count
            assert caller.end(session).outcome == "routed"
        ticks()
        assert step(upgrade, name).status == "safe"
        servers[name] = replace(servers[name], name)
        ticks()
        assert step(upgrade, name).status == "proving"
        assert row_of(name).upgrading  # not trusted yet
        beat_until_trusted(upgrade, servers[name], name)
        assert step(upgrade, name).status == "done"
        assert not row_of(name).upgrading
        assert selectors.upgrade_out(upgrade)["done"] == place
    ticks()
    upgrade.refresh_from_db()
    assert upgrade.status == "done"
    assert {
        row.version
        for row in hotpath.run(commands.peers(SLUG))
        if not row.is_front and row.state == "active"
    } == {"2.0"}
    lost = [entry for entry in caller.outbox() if entry.kind in ("end", "peer-lost")]
    assert lost == []
    assert sessions


def test_one_that_beats_less_than_three_times_is_not_trusted(group: Group) -> None:
    old = back("as-1")
    back("as-2")
    upgrade = begin(group)
    ticks(2)
    new = replace(old, "as-1")
    ticks()
    for beats in (1, 2):
        UpgradeStep.objects.filter(upgrade=upgrade, instance__name="as-1").update(heard_us=1)
        new.beat()
        ticks(3)  # many ticks at one heartbeat count as one heartbeat
        assert (step(upgrade).status, step(upgrade).beats) == ("proving", beats)
    new.leave()
    ticks()
    assert (step(upgrade).status, step(upgrade).beats) == ("safe", 0)
    assert row_of("as-1").upgrading


def test_it_waits_while_another_version_comes_up(group: Group) -> None:
    old = back("as-1")
    back("as-2")
    upgrade = begin(group)
    ticks(2)
    replace(old, "as-1", version="1.9")
    ticks(2)
    assert step(upgrade).status == "safe"
    upgrade.refresh_from_db()
    assert "target version" in selectors.upgrade_out(upgrade)["waits_for"]


def test_it_refuses_when_the_rest_cannot_carry_the_load(group: Group) -> None:
    back("as-1", capacity=10)
    back("as-2", capacity=4)
    caller = front()
    for n in range(5):
        caller.start(str(n))
    with pytest.raises(DispatchError, match="no room") as refused:
        begin(group)
    assert refused.value.kind == "upgrade-refused"
    assert not Upgrade.objects.exists()
    back("as-3", capacity=10)
    assert begin(group).status == "running"


def test_it_stands_still_when_the_load_grows_in_between(group: Group) -> None:
    back("as-1", capacity=5)
    back("as-2", capacity=5)
    caller = front()
    upgrade = begin(group)
    for n in range(6):
        caller.start(str(n))
    ticks(2)
    upgrade.refresh_from_db()
    assert step(upgrade).status == "waiting"
    assert upgrade.note == "no room"
    assert not row_of("as-1").upgrading
    assert services.check_alarms()["standing"] == 1


def test_an_upgrade_that_has_nothing_to_do_or_nobody_to_do_it_to_is_refused(group: Group) -> None:
    with pytest.raises(DispatchError, match="No instance"):
        begin(group)
    back("as-1", version="2.0")
    back("as-2", version="2.0")
    with pytest.raises(DispatchError, match="already"):
        begin(group)
    back("as-3")
    begin(group)
    with pytest.raises(DispatchError, match="already running"):
        begin(group)


@pytest.mark.parametrize("version", ["", "a b", "x" * 41, "1/2", "-1"])
def test_a_bad_version_is_refused(group: Group, version: str) -> None:
    back("as-1")
    back("as-2")
    with pytest.raises(DispatchError):
        services.upgrade_start(actor="test", group=group, target_version=version)


def test_at_its_limit_it_waits_or_ends_what_is_left(group: Group) -> None:
    back("as-1")
    back("as-2")
    caller = front()
    for n in range(4):
        caller.start(str(n))
    for at_limit, status, left in (("wait", "draining", 2), ("force", "safe", 0)):
        upgrade = begin(group, max_drain_seconds=60, at_limit=at_limit)
        ticks()
        past = timezone.now() - timedelta(seconds=61)
        UpgradeStep.objects.filter(upgrade=upgrade, status="draining").update(drain_began_at=past)
        ticks(2)
        assert (step(upgrade).status, row_of("as-1").sessions) == (status, left)
        services.upgrade_abort(actor="test", upgrade=upgrade, reason="next")
    assert step(upgrade).sessions_ended == 2
    assert row_of("as-2").sessions == 2


def test_an_operator_ends_what_is_left(group: Group) -> None:
    server = back("as-1")
    back("as-2")
    caller = front()
    for n in range(4):
        caller.start(str(n))
    upgrade = begin(group)
    with pytest.raises(DispatchError, match="No instance is draining"):
        services.upgrade_force(actor="test", upgrade=upgrade, reason="too early")
    ticks()
    assert services.upgrade_force(actor="test", upgrade=upgrade, reason="no time") == 2
    assert sum(entry.kind == "end" for entry in caller.outbox()) == 2
    assert sum(entry.kind == "end" for entry in server.outbox()) == 2
    ticks()
    assert step(upgrade).status == "safe"


def test_an_operators_block_is_never_lifted(group: Group) -> None:
    old = back("as-1")
    back("as-2")
    back("as-3")
    services.instance_set(actor="test", group=group, name="as-1", state="blocked", reason="faulty")
    upgrade = begin(group)
    ticks(2)
    new = replace(old, "as-1")
    ticks()
    beat_until_trusted(upgrade, new, "as-1")
    done = step(upgrade)
    assert (done.status, done.state_after) == ("done", "blocked")
    assert (row_of("as-1").manual, row_of("as-1").upgrading) == ("blocked", False)


def test_an_abort_leaves_every_name_in_a_stated_state(group: Group) -> None:
    first, second = back("as-1"), back("as-2")
    back("as-3")
    services.instance_set(actor="test", group=group, name="as-2", state="drain", reason="faulty")
    upgrade = begin(group)
    ticks(2)
    first = replace(first, "as-1")
    ticks()
    beat_until_trusted(upgrade, first, "as-1")
    ticks()
    assert row_of("as-2").upgrading
    services.upgrade_abort(actor="test", upgrade=upgrade, reason="a bad version")
    told = {
        one["name"]: (one["status"], one["manual_state"])
        for one in selectors.upgrade_out(upgrade)["steps"]
    }
    assert told == {
        "as-1": ("done", "open"),
        "as-2": ("skipped", "drain"),
        "as-3": ("skipped", "open"),
    }
    assert selectors.upgrade_out(upgrade)["done"] == 1  # without those that were left unchanged
    for name in told:
        assert (row_of(name).manual, row_of(name).upgrading) == (told[name][1], False)
    with pytest.raises(DispatchError, match="ended"):
        services.upgrade_abort(actor="test", upgrade=upgrade, reason="again")
    ticks()
    assert (
        AuditEntry.objects.get(action="dispatch.upgrade_abort").after["states"]["as-2"] == "drain"
    )
    assert second.id == row_of("as-2").id


def test_oldest_session_and_estimate_are_told(group: Group) -> None:
    back("as-1")
    back("as-2")
    caller = front()
    sessions = [caller.start(str(n)) for n in range(8)]
    upgrade = begin(group)
    ticks()
    assert selectors.upgrade_out(upgrade)["steps"][0]["estimate_seconds"] is None
    mine = [s for s in sessions if hotpath.run(commands.route(SLUG, s)).back_name == "as-1"]
    caller.end(mine[0])
    began = timezone.now() - timedelta(seconds=10)
    UpgradeStep.objects.filter(upgrade=upgrade, status="draining").update(drain_began_at=began)
    ticks()
    told = selectors.upgrade_out(upgrade)["steps"][0]
    assert told["sessions"] == 3
    assert told["estimate_seconds"] in range(30, 33)  # one in ten seconds, three are left
    assert told["oldest_seconds"] in range(10)


def test_an_estimate_falls_while_ticks_are_late_and_ends_with_a_count_that_is_old() -> None:
    began = timezone.now()
    late = UpgradeStep(
        status=UpgradeStep.Status.DRAINING,
        sessions_at_start=40,
        sessions=30,
        drain_began_at=began,
        counted_at=began + timedelta(seconds=10),
    )

    assert note(late, began + timedelta(seconds=90)) == "for 1 min 30 s"
    assert note(UpgradeStep(), began) == ""
    left = UpgradeStep(
        status="skipped", drain_began_at=began, ended_at=began + timedelta(seconds=9)
    )
    assert note(left, began + timedelta(hours=1)) == "drained for 9 s"
    late.sessions_ended, late.forced_by = 2, "op"
    late.ended_at = began + timedelta(seconds=60)
    assert note(late, began + timedelta(hours=1)) == "took 1 min · 2 sessions ended by op"
    late.sessions_ended, late.forced_by = 1, UpgradeStep.BY_ITSELF
    assert note(late, began).endswith("1 session ended by the drain timeout")

    def told(after_seconds: int) -> tuple[int | None, bool]:
        now = began + timedelta(seconds=after_seconds)
        return estimate_seconds(late, now), count_is_late(late, now)

    assert told(10) == (30, False)  # ten in ten seconds, thirty are left
    assert told(14) == (26, False)
    assert told(16) == (None, True)
    late.counted_at = None  # written by an earlier release
    assert told(10) == (None, False)
