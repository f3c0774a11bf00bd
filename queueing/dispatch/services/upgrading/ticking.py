"""Ticks every running upgrade. The whole state is in SQL and in Redis.

If a worker dies between two ticks, the next worker that ticks continues. A worker that was
suspended for long finds a newer fence in the row and leaves the upgrade alone.
"""

import logging
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone
from redis.exceptions import RedisError

from poolsite import access, hotpath
from poolsite.jobs import lease
from poolsite.moments import moment_of
from queueing.dispatch import dispatcher as commands
from queueing.dispatch import webhook_events
from queueing.dispatch.models import LinkState, Upgrade, UpgradeStep
from queueing.dispatch.services.common import send_after_commit
from queueing.dispatch.services.groups import apply_name
from queueing.dispatch.services.upgrading import load
from queueing.dispatch.services.upgrading.orders import end_left, let_go, locked_upgrade, touch

logger = logging.getLogger(__name__)

Status, Step = Upgrade.Status, UpgradeStep.Status
PAGE_LIMIT = 1_000
ACTOR = UpgradeStep.BY_ITSELF
FORCED = "longest drain of the upgrade"
NO_ROOM, LIMIT, STRANGE, LOST = "no room", "over the limit", "other version", "not linked"
RECOVERING = "recovering"
# What a tick saves. `sessions_ended` is counted without the upgrade's lock (`orders.end_left`).
TICKED = [
    field.name
    for field in UpgradeStep._meta.concrete_fields
    if field.name not in ("id", "sessions_ended")
]


def tick_upgrades() -> dict[str, int]:
    """Tick every running upgrade. Return how many ran, and how many failed."""
    done = {"upgrades": 0, "failed": 0}
    for key in Upgrade.objects.filter(status=Status.RUNNING).values_list("pk", flat=True):
        done["upgrades"] += 1
        try:
            tick(key)
        except (hotpath.HotPathError, commands.DispatchRefusedError, RedisError) as error:
            done["failed"] += 1
            logger.warning("dispatch: upgrade %s waits: %s", key, error)
    return done


def tick(key: int) -> None:
    """Tick an upgrade. Raise the runner's errors; then nothing was decided."""
    slug = Upgrade.objects.values_list("group__slug", flat=True).get(pk=key)
    rows = load.backs(hotpath.run(commands.peers(slug)))
    oldest = _oldest_us(slug, key, rows)
    now = timezone.now()
    forced: UpgradeStep | None = None
    with transaction.atomic():
        upgrade = locked_upgrade(key)
        if upgrade.status != Status.RUNNING or not _fenced(upgrade):
            return
        step = upgrade.steps.exclude(status__in=(Step.DONE, Step.SKIPPED)).first()
        if step is None:
            _finish(upgrade)
            return
        step.upgrade = upgrade
        told = _Tick(upgrade, step, rows, now)
        told.oldest_us = oldest
        told.run()
        forced = step if told.force else None
        upgrade.save(update_fields=["note", "fence"])
        step.save(update_fields=TICKED)
        touch(upgrade)
    if forced is not None:
        end_left(forced, FORCED)


def _oldest_us(slug: str, key: int, rows: list[commands.PeerRow]) -> int | None:
    """Return when the draining instance's oldest session started, or None if none or too many."""
    step = UpgradeStep.objects.filter(upgrade_id=key, status=Step.DRAINING)
    name = step.values_list("instance__name", flat=True).first()
    found: list[int] = []
    for row in rows:
        if row.name != name or not 0 < row.sessions <= PAGE_LIMIT:
            continue
        page = hotpath.run(commands.sessions_of(slug, row.key, "", PAGE_LIMIT))
        found += [each.started_us for each in page.rows if each.live]
    return min(found, default=None)


def _fenced(upgrade: Upgrade) -> bool:
    held = lease.current()
    fence = held.fence if held is not None else upgrade.fence
    if fence < upgrade.fence:
        return False
    upgrade.fence = fence
    return True


def _finish(upgrade: Upgrade) -> None:
    upgrade.status, upgrade.note = Status.DONE, ""
    upgrade.ended_at, upgrade.ended_by = timezone.now(), ACTOR
    upgrade.save(update_fields=["status", "note", "fence", "ended_at", "ended_by"])
    access.audit(
        actor=ACTOR,
        action="dispatch.upgrade_done",
        thing=upgrade.group,
        label=f"upgrade {upgrade.pk}",
        after={"upgrade": upgrade.pk, "version": upgrade.target_version},
    )
    webhook_events.tell(webhook_events.COMPLETED, upgrade)
    touch(upgrade)


class _Tick:
    """The current step, and its instance in Redis."""

    def __init__(
        self, upgrade: Upgrade, step: UpgradeStep, rows: list[commands.PeerRow], now: datetime
    ) -> None:
        self.upgrade, self.step, self.rows, self.now = upgrade, step, rows, now
        self.name = step.instance.name
        mine = [row for row in rows if row.name == self.name]
        self.row = next((row for row in mine if row.state == LinkState.ACTIVE), None)
        self.sessions = sum(row.sessions for row in mine)
        self.flagged = all(row.upgrading for row in mine)
        self.mine = mine
        self.force = False
        self.oldest_us: int | None = None

    def run(self) -> None:
        """Move the step by at most one state.

        After a loss of Redis, wait until the instances have reported their sessions: one that has
        not yet would count as empty, and as safe to stop.
        """
        if self._is_recovering():
            self.upgrade.note = RECOVERING
            return
        self.upgrade.note = ""
        self.step.sessions, self.step.counted_at = self.sessions, self.now
        self.step.oldest_at = moment_of(self.oldest_us) if self.oldest_us else None
        {
            Step.WAITING: self._begin,
            Step.DRAINING: self._drain,
            Step.SAFE: self._wait_for_target,
            Step.PROVING: self._prove,
        }[Step(self.step.status)]()

    def _is_recovering(self) -> bool:
        recovering = self.upgrade.group.recovering_since is not None
        return recovering or any(row.resyncing for row in self.mine)

    def _begin(self) -> None:
        if self.row is not None and self.row.version == self.upgrade.target_version:
            self._done()  # it was restarted meanwhile
            return
        if load.lacking(self.rows, self.name):
            self.upgrade.note = NO_ROOM  # already checked at the start: check at each tick
            return
        self.step.status, self.step.drain_began_at = Step.DRAINING, self.now
        self.step.sessions_at_start = self.sessions
        self._flag()

    def _flag(self) -> None:
        """Set the upgrade's own drain, in addition to the operator's state of the name."""
        instance, group = self.step.instance, self.upgrade.group
        if not instance.upgrading:
            instance.upgrading = True
            instance.save(update_fields=["upgrading"])
        send_after_commit(group, lambda: apply_name(group, instance))

    def _drain(self) -> None:
        if not self.flagged:
            self._flag()  # Redis was away at the start, or has lost it: not safe yet
            return
        if self.sessions == 0:
            self.step.status, self.step.safe_at = Step.SAFE, self.now
            return
        began = self.step.drain_began_at or self.now
        if self.now - began < timedelta(seconds=self.upgrade.max_drain_seconds):
            return
        if self.upgrade.at_limit == Upgrade.AtLimit.WAIT:
            self.upgrade.note = LIMIT
            return
        self.step.forced_at, self.step.forced_by, self.force = self.now, ACTOR, True

    def _wait_for_target(self) -> None:
        if self.row is None:
            self.upgrade.note = LOST
        elif self.row.version != self.upgrade.target_version:
            self.upgrade.note = STRANGE  # the old version still runs, or another one came
        else:
            self.step.status, self.step.proving_at = Step.PROVING, self.now
            self.step.proving_id, self.step.beats = self.row.id, 0
            self.step.heard_us = self.row.heard_us or 0

    def _prove(self) -> None:
        row = self.row
        if row is None or row.version != self.upgrade.target_version:
            self.step.status, self.step.beats = Step.SAFE, 0  # it went away: wait again
            self.step.proving_at = None
            return
        if row.id != self.step.proving_id:
            self.step.proving_id, self.step.beats = row.id, 0
            self.step.heard_us = row.heard_us or 0
            return
        # Any frame counts as heard, so count at most one heartbeat per half interval.
        heard_us = row.heard_us or 0
        if heard_us - self.step.heard_us >= self.upgrade.group.heartbeat_seconds * 500_000:
            self.step.beats, self.step.heard_us = self.step.beats + 1, heard_us
        if self.step.beats >= UpgradeStep.BEATS:
            self._done()

    def _done(self) -> None:
        let_go(self.upgrade.group, self.step.instance)
        self.step.status, self.step.ended_at = Step.DONE, self.now
        self.step.state_after = self.step.instance.manual_state
