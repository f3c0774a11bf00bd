"""Incidents of groups that need a person. They close automatically."""

from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.translation import gettext_noop

from poolsite import hotpath
from poolsite.operations import incidents
from poolsite.operations.incidents import Trouble
from queueing.dispatch import dispatcher as commands
from queueing.dispatch.models import Group, LinkState, ManualState, Upgrade, UpgradeStep

NO_INSTANCE, STUCK = "dispatch.no_instance", "dispatch.upgrade"
PATIENCE = timedelta(minutes=5)  # between "safe to stop" and the target version's registration


def check_alarms(now: datetime | None = None) -> dict[str, int]:
    """Check every group. Return how many incidents are open."""
    groups = list(Group.objects.order_by("pk"))
    found = hotpath.run_batch([commands.peers(group.slug) for group in groups])
    standing = 0
    for group, rows in zip(groups, found, strict=True):
        if not isinstance(rows, hotpath.HotPathError):
            standing += incidents.keep(NO_INSTANCE, group, _no_instance(group, rows))
        standing += incidents.keep(STUCK, group, _stuck(group, now or timezone.now()))
    return {"groups": len(groups), "standing": standing}


def _no_instance(group: Group, rows: list[commands.PeerRow]) -> Trouble | None:
    """Return trouble if front-ends are linked but no instance takes new sessions."""
    fronts = sum(row.is_front and row.state == LinkState.ACTIVE for row in rows)
    open_ones = sum(
        not row.is_front
        and row.state == LinkState.ACTIVE
        and row.manual == ManualState.OPEN
        and not row.upgrading
        and row.ejected_until_us is None
        for row in rows
    )
    if not fronts or open_ones:
        return None
    return Trouble(
        severity="critical",
        title=gettext_noop("No instance of %(group)s accepts sessions"),
        detail=gettext_noop("New sessions are refused. Linked front-ends: %(fronts)s."),
        remedy=gettext_noop("Open an instance, or check why none is active."),
        url=f"/groups/{group.slug}/",
        params={"group": group.slug, "fronts": fronts},
    )


def _stuck(group: Group, now: datetime) -> Trouble | None:
    """Return trouble if an upgrade waits for a person."""
    upgrade = Upgrade.objects.filter(group=group, status=Upgrade.Status.RUNNING).first()
    steps = UpgradeStep.objects.filter(upgrade=upgrade).exclude(status__in=("done", "skipped"))
    step = steps.select_related("instance").first() if upgrade is not None else None
    waits = False
    if upgrade is not None and step is not None:
        late = step.safe_at is not None and now - step.safe_at > PATIENCE
        proven = step.status == UpgradeStep.Status.PROVING
        waits = upgrade.note in ("no room", "over the limit") or (late and not proven)
    if not waits or upgrade is None or step is None:
        return None
    return Trouble(
        severity="warning",
        title=gettext_noop("The upgrade of %(group)s is waiting for you"),
        detail=gettext_noop("%(name)s: %(status)s. Sessions left: %(sessions)s."),
        remedy=gettext_noop(
            "Start the new version, end the remaining sessions, or abort the upgrade."
        ),
        url=f"/groups/{group.slug}/upgrades/{upgrade.pk}/",
        params={
            "group": group.slug,
            "name": step.instance.name,
            "status": step.get_status_display(),
            "sessions": step.sessions,
        },
    )
