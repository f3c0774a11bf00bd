"""Changes a pool's home country: numbers without a country code get new canonical forms."""

from functools import partial

from django.utils.translation import gettext as _

from numbers import pool as commands
from numbers.canonical import canonical, home_of
from numbers.errors import NumbersError
from numbers.models import Number, Pool
from numbers.services.common import CHUNK, chunks, send_after_commit
from numbers.services.owners import owners_of
from poolsite import hotpath

LIMIT = 10_000  # numbers that are changed while the user waits


def change_home(pool: Pool, home_country: str) -> None:
    """Give the pool's numbers their canonical forms in another home country.

    Runs in the caller's transaction. Raise NumbersError if too many have no country code, or if one
    would be the same line as another row.
    """
    if home_of(pool.home_country) == home_of(home_country):
        return
    # Every digit sorts after +, so this is a range of the pool's index.
    local = Number.objects.filter(pool=pool, value__gte="0").exclude(canonical=None)
    rows = list(local.only("pk", "value", "canonical", "pool_id")[: LIMIT + 1])
    if len(rows) > LIMIT:
        text = _("More than %(n)s numbers of this pool have no country code. Move them first.")
        raise NumbersError("not-allowed", text % {"n": f"{LIMIT:,}"})
    wanted = {row.pk: canonical(row.value, home_country) for row in rows}
    changed = [row for row in rows if wanted[row.pk] != row.canonical]
    owners = owners_of([wanted[row.pk] for row in changed])
    leaving = {row.pk for row in changed}
    seen: dict[str, str] = {}
    aliases: dict[str, str] = {}
    for row in changed:
        one = wanted[row.pk]
        owner = owners.get(one)
        other = owner.value if owner is not None and owner.pk not in leaving else seen.get(one)
        if other is not None:
            text = _("%(number)s would be the same line as %(other)s. Remove one of them first.")
            raise NumbersError("not-allowed", text % {"number": row.value, "other": other})
        seen[one] = row.value
        aliases |= {row.canonical or "": "", one: row.value if one != row.value else ""}
    if not changed:
        return
    # In two steps, because one row may take the form that another row had.
    for part in chunks([row.pk for row in changed]):
        Number.objects.filter(pk__in=part).update(canonical=None)
    for row in changed:
        row.canonical = wanted[row.pk]
    Number.objects.bulk_update(changed, ["canonical"], batch_size=CHUNK)
    send_after_commit(pool, partial(_send, pool, aliases))


def _send(pool: Pool, aliases: dict[str, str]) -> None:
    for part in chunks(list(aliases), commands.ROWS_LIMIT):
        hotpath.run(commands.alias(pool.slug, {one: aliases[one] for one in part}))
