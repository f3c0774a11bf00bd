"""Finds the owner of a number in any format. Every way of adding numbers checks this first."""

from collections.abc import Sequence

from numbers.canonical import canonical, spellings
from numbers.models import CallRecord, Number, Pool
from numbers.services.common import chunks

QUERY_VALUES = 400  # SQLite limits the number of parameters


def owners_of(values: Sequence[str]) -> dict[str, Number]:
    """Canonical form → the row that has it, in any format and pool."""
    owners: dict[str, Number] = {}
    for chunk in chunks(values, QUERY_VALUES):
        rows = Number.objects.filter(canonical__in=chunk).select_related("pool__account")
        # Also rows without a canonical form, such as duplicates: their format is taken, too.
        waiting = Number.objects.filter(value__in=chunk, canonical=None)
        for row in (*waiting.select_related("pool__account"), *rows):
            owners[row.canonical or row.value] = row
    return owners


def calls_of_others(pool: Pool, values: Sequence[str]) -> dict[str, str]:
    """Return number → pool for numbers that were deleted during a call still in progress.

    A call of the same pool and format is left out: Redis waits for its end.
    """
    found: dict[str, str] = {}
    for chunk in chunks(values, QUERY_VALUES // 4):
        asked = {one: value for value in chunk for one in spellings(value, [pool.home_country])}
        calls = CallRecord.objects.filter(number__in=asked, ended_at=None)
        for number, pool_id, slug in calls.values_list("number", "pool_id", "pool__slug"):
            if pool_id != pool.pk or number != asked[number]:
                found[asked[number]] = slug
    return found


def twins_known(pool: Pool, values: Sequence[str]) -> dict[str, Number]:
    """Return format → the row with the same line, for formats that no row of this pool has.

    The row can be in another pool, or in this one in another format.
    """
    mine: set[str] = set()
    for chunk in chunks(values, QUERY_VALUES):
        rows = Number.objects.filter(pool=pool, value__in=chunk)
        mine.update(rows.values_list("value", flat=True))
    forms = {value: canonical(value, pool.home_country) for value in values if value not in mine}
    owners = owners_of(sorted({*forms.values(), *forms}))
    found: dict[str, Number] = {}
    for value, one in forms.items():
        owner = owners.get(one) or owners.get(value)
        if owner is not None:
            found[value] = owner
    return found


def place_of(value: str, owner: Number) -> str:
    """The place of a number, as people read it: `care-north`, or `care-north as +86…`."""
    return owner.pool.slug if owner.value == value else f"{owner.pool.slug} as {owner.value}"
