"""Records when each switch last reported, and its incarnation, from the history."""

from collections.abc import Sequence
from datetime import timedelta

from django.db.models import Q

from numbers.models import Switch
from numbers.pool import PoolChange
from poolsite.moments import moment_of

STEP = timedelta(seconds=10)  # often enough for a rebuild, without a write per event


def note_switches(pool_id: int, changes: Sequence[PoolChange]) -> None:
    """Update the switches' rows. A switch that was never added gets a row without a token.

    Runs in the drain's transaction. The number of queries does not depend on the page's length.
    """
    heard: dict[str, int] = {}
    born: dict[str, str] = {}
    for change in changes:
        if change.switch:
            heard[change.switch] = change.at_us
            if change.event in ("switch", "restart"):
                born[change.switch] = change.incarnation or change.reason
    if not heard:
        return
    rows = {row.name: row for row in Switch.objects.filter(pool_id=pool_id, name__in=heard)}
    Switch.objects.bulk_create(
        [
            Switch(
                pool_id=pool_id,
                name=name,
                incarnation=born.get(name, "")[:64],
                last_heard=moment_of(us),
            )
            for name, us in heard.items()
            if name not in rows
        ],
        ignore_conflicts=True,
    )
    for name, row in rows.items():
        _update(row, heard[name], born.get(name))


def _update(row: Switch, us: int, incarnation: str | None) -> None:
    moment = moment_of(us)
    if incarnation is not None:
        Switch.objects.filter(pk=row.pk).update(incarnation=incarnation[:64], last_heard=moment)
    elif row.last_heard is None or moment - row.last_heard >= STEP:
        late = Q(last_heard=None) | Q(last_heard__lt=moment)
        Switch.objects.filter(late, pk=row.pk).update(last_heard=moment)
