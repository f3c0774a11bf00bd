"""The sweep of duplicates: settles rows without a canonical form, and reports duplicates."""

from collections.abc import Iterator
from functools import partial
from typing import Final

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_noop

from numbers import pool as commands
from numbers.canonical import canonical
from numbers.models import Number, Pool
from numbers.services.adding import write_aliases
from numbers.services.common import send_after_commit
from numbers.services.twins import BY
from poolsite import hotpath
from poolsite.operations import incidents

INCIDENT: Final = "numbers.twins"
SETTLED_AT_ONCE: Final = 500


def watch_twins() -> dict[str, int]:
    """Settle rows without a canonical form. Keep an incident open while there are duplicates."""
    settled = sum(_settle(row) for row in _unsettled())
    count = Number.objects.filter(twin_of__isnull=False).count()
    if not count:
        incidents.close(type=INCIDENT, object="numbers")
        return {"settled": settled, "twins": 0}
    incidents.open(
        type=INCIDENT,
        object="numbers",
        severity="warning",
        title=gettext_noop("Duplicate numbers: %(count)s"),
        detail=gettext_noop(
            "The same line is stored in two formats. The duplicates are quarantined so that "
            "no line is in two calls at once."
        ),
        remedy=gettext_noop("Merge or remove the duplicates."),
        url="/numbers/twins/",
        params={"count": count},
    )
    return {"settled": settled, "twins": count}


def _unsettled() -> Iterator[Number]:
    """Rows whose keeper was deleted, or that an older release has added."""
    rows = Number.objects.filter(canonical=None, twin_of=None).select_related("pool__account")
    yield from rows.order_by("created_at", "pk")[:SETTLED_AT_ONCE]


def _settle(row: Number) -> int:
    """Give a row its canonical form, or make it the duplicate of the row that has it."""
    one = canonical(row.value, row.pool.home_country)
    with transaction.atomic():
        mine = Number.objects.filter(pk=row.pk, canonical=None, twin_of=None)
        owner = Number.objects.filter(canonical=one).exclude(pk=row.pk).first()
        if owner is None:
            changes: dict[str, object] = {"canonical": one}
            if row.quarantined_by == BY:
                changes |= {"quarantined_at": None, "quarantined_by": "", "quarantined_reason": ""}
        else:
            changes = {"twin_of": owner}
            if row.quarantined_at is None:
                changes |= {
                    "quarantined_at": timezone.now(),
                    "quarantined_by": BY,
                    "quarantined_reason": f"twin of {one}",
                }
        if not mine.update(**changes):
            return 0
        row.refresh_from_db()
        send_after_commit(row.pool, partial(_bring_state, row.pool, row))
    return 1


def _bring_state(pool: Pool, row: Number) -> None:
    write_aliases(pool, [row])
    if row.quarantined_at is not None:
        hotpath.run(commands.quarantine(pool.slug, [row.value], row.quarantined_reason))
    else:
        hotpath.run(commands.unquarantine(pool.slug, [row.value], "no duplicate any more"))
