"""Duplicates (twins): rows of one line in two formats, from before there was a canonical form.

The migration keeps one row of each group and quarantines the others. Here an operator merges a
group into one row, or removes rows. A group is a row with a canonical form and the rows that point
to it.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Final

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from numbers import pool as commands
from numbers.canonical import canonical
from numbers.errors import NumbersError
from numbers.models import Number, NumberTag
from numbers.services.adding import CONTACT_SECONDS, tag_rows, write_aliases
from numbers.services.common import MERGING, send_after_commit
from numbers.services.removing import leaving, remove_numbers
from poolsite import access, hotpath, jobs
from poolsite.access import Principal
from poolsite.access.models import User
from poolsite.access.services.actor import Actor, clean_reason, require
from poolsite.access.services.aggregates import Act
from poolsite.jobs.models import Job

KIND: Final = "numbers.twins"  # of the job, see numbers.bulk_jobs
BY: Final = "numbers.twins"  # marks the quarantine of duplicates; the migration writes the same


def twins_merge(
    *, actor: Actor, number: Number, reason: str = "", job: str | None = None
) -> Number:
    """Merge a number's group into its row, with labels, notes and tags of all.

    Raise NumbersError if the number has no duplicate, or while a row to remove is in a call. Calls
    and events keep their format: look-ups know every format of a line.
    """
    group = _group(number)
    others = [row for row in group if row.pk != number.pk]
    act = Act(actor, "numbers.twins_merge", clean_reason(reason))
    _resolve(act, number, others, job, join=True)
    return Number.objects.select_related("pool__account").get(pk=number.pk)


def twin_remove(*, actor: Actor, number: Number, reason: str = "") -> None:
    """Remove one row of a group. One of the remaining rows keeps the canonical form.

    Raise NumbersError if the number has no duplicate, or while it is in a call.
    """
    group = _group(number)
    rest = [row for row in group if row.pk != number.pk]
    keeper = next((row for row in rest if row.canonical is not None), None) or preferred(rest)
    act = Act(actor, "numbers.twin_remove", clean_reason(reason))
    _resolve(act, keeper, [number], join=False)


@dataclass
class Merged:
    """The result for many groups. `stayed`: number → why its group was not merged."""

    merged: int
    stayed: dict[str, str]


def twins_merge_all(
    *, actor: Actor, keepers: Sequence[Number], reason: str = "", job: str | None = None
) -> Merged:
    """Merge the groups of these keepers, each into the row stored in canonical form."""
    done = Merged(0, {})
    for keeper in keepers:
        try:
            stays = preferred(_group(keeper))
            twins_merge(actor=actor, number=stays, reason=reason, job=job)
        except NumbersError as error:
            done.stayed[keeper.value] = error.detail
        else:
            done.merged += 1
    return done


def merge_all_start(*, principal: Principal, reason: str, total: int) -> Job:
    """Start the job that merges every group that the user may operate."""
    access.require(principal, "numbers.operate")
    return jobs.start(
        KIND,
        actor=User.objects.filter(pk=principal.user_id or 0).first(),
        data={"reason": clean_reason(reason), "total": total},
    )


def preferred(group: Sequence[Number]) -> Number:
    """The row of a group that stays by default: the one in canonical form, otherwise the oldest."""
    one = _canonical_of(group[0])
    first = min(group, key=lambda row: (row.created_at, row.pk))
    return next((row for row in group if row.value == one), first)


def _canonical_of(row: Number) -> str:
    if row.canonical is not None:
        return row.canonical
    if row.twin_of is not None and row.twin_of.canonical is not None:
        return row.twin_of.canonical
    return canonical(row.value, row.pool.home_country)


def _group(number: Number) -> list[Number]:
    """Return the number's group, the keeper first. Raise NumbersError if it has no duplicate."""
    key = number.twin_of_id or number.pk
    rows = Number.objects.filter(Q(pk=key) | Q(twin_of_id=key))
    group = list(rows.select_related("pool__account", "twin_of").order_by("-canonical", "pk"))
    if len(group) < 2 or number.pk not in {row.pk for row in group}:
        text = _("%(number)s no longer has duplicates.") % {"number": number.value}
        raise NumbersError("not-allowed", text)
    return sorted(group, key=lambda row: (row.canonical is None, row.pk))


def _resolve(
    act: Act, stays: Number, gone: Sequence[Number], job: str | None = None, *, join: bool
) -> None:
    """Remove `gone`, and give `stays` the canonical form. SQL first, then Redis."""
    for row in (stays, *gone):
        require(act.actor, "numbers.operate", row.pool)
    with ExitStack() as stack:
        for row in gone:
            if stack.enter_context(leaving(row.pool, [row.value], MERGING)):
                text = _("%(number)s is in a call. Try again when the call has ended.")
                raise NumbersError("not-allowed", text % {"number": row.value})
        with transaction.atomic():
            _write(act, stays, gone, job, join=join)


def _write(act: Act, stays: Number, gone: Sequence[Number], job: str | None, *, join: bool) -> None:
    keys = [row.pk for row in gone]
    locked = {
        row.pk: row
        for row in Number.objects.select_for_update(of=("self",))
        .filter(pk__in=[stays.pk, *keys])
        .select_related("pool__account", "twin_of")
    }
    if len(locked) != len(gone) + 1:
        text = _("%(number)s no longer has duplicates.") % {"number": stays.value}
        raise NumbersError("not-allowed", text)
    row = locked[stays.pk]
    one = _canonical_of(row)
    was_registered = [locked[key] for key in keys if locked[key].is_up]
    tags = list(NumberTag.objects.filter(number_id__in=keys).values_list("tag", flat=True))
    rest = list(
        Number.objects.filter(twin_of_id__in=[row.pk, *keys])
        .exclude(pk__in=[row.pk, *keys])
        .values_list("pk", flat=True)
    )
    NumberTag.objects.filter(number_id__in=keys).delete()
    Number.objects.filter(pk__in=keys).delete()
    Number.objects.filter(pk__in=rest).update(twin_of=row)
    row.canonical, row.twin_of = one, None
    ours = row.quarantined_by == BY
    if ours:
        row.quarantined_at, row.quarantined_by, row.quarantined_reason = None, "", ""
    if join:
        _join(row, [locked[key] for key in keys], tags)
    row.save()
    access.audit(
        actor=act.actor,
        action=act.action,
        thing=row.pool,
        before={"removed": [f"{locked[key].value} ({locked[key].pool.slug})" for key in keys]},
        after={"number": row.value},
        reason=act.reason,
        job=job,
    )
    _send(row, [locked[key] for key in keys], was_registered if join else [], release=ours)


def _join(row: Number, others: Sequence[Number], tags: Sequence[str]) -> None:
    """Combine labels, notes and tags of all rows. Take the first known region and carrier."""
    labels = dict.fromkeys(each.label for each in (row, *others) if each.label)
    notes = dict.fromkeys(each.notes for each in (row, *others) if each.notes)
    row.label = " / ".join(labels)[:120]
    row.notes = "\n".join(notes)
    row.region = row.region or next((each.region for each in others if each.region), "")
    row.carrier = row.carrier or next((each.carrier for each in others if each.carrier), "")
    tag_rows([row], tags)


def _send(
    row: Number, gone: Sequence[Number], registered: Sequence[Number], *, release: bool
) -> None:
    """After the commit, remove the others from Redis and make this one known by every format."""
    by_pool: dict[int, list[Number]] = {}
    for other in gone:
        by_pool.setdefault(other.pool_id, []).append(other)
    for rows in by_pool.values():
        values = [other.value for other in rows]
        send_after_commit(rows[0].pool, partial(remove_numbers, rows[0].pool, values))
    send_after_commit(row.pool, partial(_bring, row, registered, release=release))


def _bring(row: Number, registered: Sequence[Number], *, release: bool) -> None:
    """Keep the line registered if it was registered in a removed format."""
    slug = row.pool.slug
    write_aliases(row.pool, [row])
    if registered and not row.is_up:
        contact = registered[0].contact
        expires = CONTACT_SECONDS if contact else None
        event = commands.Event.of("reg", number=row.value, contact=contact, expires=expires)
        hotpath.run(commands.event(slug, event))
    if release:
        hotpath.run(commands.unquarantine(slug, [row.value], "merged"))
