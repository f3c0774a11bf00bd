"""A rolling upgrade while Redis loses its data, a flag is lost, or a worker sleeps."""

from datetime import timedelta

import pytest
from django.utils import timezone

from poolsite import hotpath
from poolsite.jobs import lease
from queueing.dispatch import dispatcher as commands
from queueing.dispatch import selectors, services
from queueing.dispatch.models import Group, Instance, UpgradeStep
from queueing.dispatch.services.upgrading import ticking
from tests.dispatch.people import SLUG, back, make_group, row_of
from tests.dispatch.upgrading import begin, step, ticks

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


@pytest.fixture
def group() -> Group:
    """A group whose heartbeat is a second."""
    return make_group(heartbeat_seconds=1)


def test_a_loss_of_redis_does_not_end_a_drain(group: Group) -> None:
    back("as-1")
    back("as-2")
    upgrade = begin(group)
    ticks()
    Group.objects.filter(pk=group.pk).update(created_at=timezone.now() - timedelta(days=1))
    hotpath.client().flushdb()
    services.watch_groups(0, 1)
    back("as-1", boot="boot2")
    assert row_of("as-1").upgrading
    assert Instance.objects.get(name="as-1").upgrading
    assert upgrade.pk


def test_an_instance_that_has_not_reported_after_a_loss_is_not_safe_to_stop(group: Group) -> None:
    back("as-1")
    back("as-2")
    upgrade = begin(group)
    ticks()
    Group.objects.filter(pk=group.pk).update(created_at=timezone.now() - timedelta(days=1))
    hotpath.client().flushdb()
    services.watch_groups(0, 1)
    ticks()
    assert step(upgrade).status == "draining"
    upgrade.refresh_from_db()
    assert "report their sessions" in selectors.upgrade_out(upgrade)["waits_for"]
    Group.objects.filter(pk=group.pk).update(recovering_since=None)  # it had time to report
    ticks()
    assert step(upgrade).status == "safe"


def test_a_drain_that_redis_never_heard_of_is_not_called_safe(group: Group) -> None:
    back("as-1")
    back("as-2")
    upgrade = begin(group)
    ticks()
    hotpath.run(commands.upgrade_flag(SLUG, "as-1", False))
    ticks()
    assert step(upgrade).status == "draining"
    assert row_of("as-1").upgrading  # set again
    ticks()
    assert step(upgrade).status == "safe"


def test_a_tick_keeps_the_count_of_sessions_that_an_operator_ends_meanwhile(
    group: Group, monkeypatch: pytest.MonkeyPatch
) -> None:
    back("as-1")
    back("as-2")
    upgrade = begin(group)
    run = ticking._Tick.run

    def meanwhile(tick: ticking._Tick) -> None:
        UpgradeStep.objects.filter(pk=tick.step.pk).update(sessions_ended=3)
        run(tick)

    monkeypatch.setattr(ticking._Tick, "run", meanwhile)
    ticks()
    assert step(upgrade).sessions_ended == 3


def test_an_old_worker_that_wakes_up_changes_nothing(
    group: Group, monkeypatch: pytest.MonkeyPatch
) -> None:
    back("as-1")
    back("as-2")
    upgrade = begin(group)
    monkeypatch.setattr(lease, "current", lambda: lease.Lease("{x}", "new", 9))
    ticks()
    assert step(upgrade).status == "draining"
    monkeypatch.setattr(lease, "current", lambda: lease.Lease("{x}", "old", 8))
    ticks(3)
    assert step(upgrade).status == "draining"
    monkeypatch.setattr(lease, "current", lambda: lease.Lease("{x}", "newer", 10))
    ticks()
    assert step(upgrade).status == "safe"
