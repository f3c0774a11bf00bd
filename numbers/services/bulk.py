"""The same action for many numbers: selected ones immediately, a filter by a job in chunks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from numbers.errors import NumbersError
from numbers.models import Number, Pool
from numbers.pool import reasons
from numbers.services.holding import (
    numbers_force_hangup,
    numbers_quarantine,
    numbers_release,
)
from numbers.services.removing import numbers_delete, numbers_move
from poolsite import access, jobs
from poolsite.access import Principal
from poolsite.access.models import User
from poolsite.access.services.actor import Actor, require
from poolsite.jobs.models import Job

KIND = "numbers.bulk"
VERBS = ("quarantine", "release", "move", "hangup", "delete")
AT_ONCE = 1_000  # more are done by a job
UNDONE_BY = {"quarantine": "release", "release": "quarantine"}


@dataclass
class BulkDone:
    """The result of an action: how many changed, which stayed and why (value → reason)."""

    changed: int = 0
    stayed: dict[str, str] = field(default_factory=dict)


def bulk_apply(
    *,
    actor: Actor,
    verb: str,
    numbers: Sequence[Number],
    reason: str,
    target: Pool | None = None,
    job: str | None = None,
) -> BulkDone:
    """Apply one action to numbers of any pools. Check the right on each pool, and audit each pool.

    `target`: the pool to move to. Numbers must have their pools loaded. A hang-up of a number that
    is not in a call changes nothing.
    """
    by_pool: dict[int, list[Number]] = {}
    for number in numbers:
        by_pool.setdefault(number.pool_id, []).append(number)
    for rows in by_pool.values():
        require(actor, "numbers.operate", rows[0].pool)
    if verb == "move":
        if target is None:
            raise NumbersError("malformed", _("Choose the pool to move to."))
        stayed = dict(
            numbers_move(actor=actor, numbers=numbers, pool=target, reason=reason, job=job)
        )
        return BulkDone(len(numbers) - len(stayed), stayed)
    done = BulkDone()
    for rows in by_pool.values():
        values = [row.value for row in rows]
        _one_pool(verb)(done, actor, rows[0].pool, values, reason, job)
    return done


Verb = Callable[[BulkDone, Actor, Pool, list[str], str, str | None], None]


def _one_pool(verb: str) -> Verb:
    counted: dict[str, Any] = {
        "quarantine": numbers_quarantine,
        "release": numbers_release,
        "delete": numbers_delete,
    }
    if verb == "hangup":
        return _hang_up
    if verb not in counted:
        raise NumbersError("malformed", _("Action not found."))

    def run(
        done: BulkDone, actor: Actor, pool: Pool, values: list[str], reason: str, job: str | None
    ) -> None:
        done.changed += counted[verb](actor=actor, pool=pool, values=values, reason=reason, job=job)

    return run


def _hang_up(
    done: BulkDone, actor: Actor, pool: Pool, values: list[str], reason: str, job: str | None
) -> None:
    forced = numbers_force_hangup(actor=actor, pool=pool, values=values, reason=reason, job=job)
    for value in values:
        outcome = forced.get(value)
        if outcome is not None and outcome.code == 1:
            done.changed += 1
        else:
            done.stayed[value] = outcome.reason if outcome is not None else reasons.NOT_IN_A_CALL


def bulk_start(
    *,
    principal: Principal,
    verb: str,
    wanted: dict[str, Any],
    reason: str,
    target: Pool | None = None,
    total: int,
) -> Job:
    """Start the job that applies an action to a filter's numbers that the user may operate.

    `wanted`: the fields of selectors.lists.NumberFilter.
    """
    if verb not in VERBS:
        raise NumbersError("malformed", _("Action not found."))
    access.require(principal, "numbers.operate")
    if verb == "move" and target is None:
        raise NumbersError("malformed", _("Choose the pool to move to."))
    return jobs.start(
        KIND,
        actor=User.objects.filter(pk=principal.user_id or 0).first(),
        data={
            "verb": verb,
            "filter": wanted,
            "reason": reason,
            "target": target.pk if target else None,
            "total": total,
        },
    )
