"""The steps of a rolling upgrade's tests: order, tick, restart, heartbeat."""

from queueing.dispatch import services
from queueing.dispatch.models import Group, Upgrade, UpgradeStep
from tests.dispatch.people import Peer, back


def begin(group: Group, **given: object) -> Upgrade:
    return services.upgrade_start(
        actor="test",
        group=group,
        target_version="2.0",
        **given,
    )


def ticks(count: int = 1) -> None:
    for _ in range(count):
        assert services.tick_upgrades()["failed"] == 0


def step(upgrade: Upgrade, name: str = "as-1") -> UpgradeStep:
    return upgrade.steps.select_related("instance").get(instance__name=name)


def replace(old: Peer, name: str, version: str = "2.0") -> Peer:
    """End the instance, and start another version under its name."""
    old.leave()
    return back(name, version=version, boot=f"boot-{version}")


def beat_until_trusted(upgrade: Upgrade, peer: Peer, name: str) -> None:
    """Send three heartbeats, each an interval after the previous one, with a tick after each."""
    for _ in range(3):
        UpgradeStep.objects.filter(upgrade=upgrade, instance__name=name).update(heard_us=1)
        peer.beat()
        ticks()
