"""Numbers found by any of their spellings: what is typed is never compared as it is."""

from django.db.models import Q, QuerySet

from numbers.canonical import canonical, spellings
from numbers.models import Number, Pool


def homes() -> list[str]:
    """The home countries by which a number may be read: the platform's, and those of pools."""
    own = Pool.objects.exclude(home_country="").order_by("home_country")
    return ["", *own.values_list("home_country", flat=True).distinct()]


def every_spelling(value: str) -> tuple[str, ...]:
    """Each spelling that call records and events may have of a normalised number."""
    return spellings(value, homes())


def stored_value(numbers: QuerySet[Number], value: str) -> str:
    """The spelling under which one of these rows has the number; as given when none has it."""
    forms = {canonical(value, home) for home in homes()}
    rows = numbers.filter(Q(value=value) | Q(canonical__in=forms))
    found = list(rows.values_list("value", flat=True)[:10])
    return value if value in found or not found else min(found)


def number_of_pool(pool: Pool, value: str) -> Number | None:
    """A number of a pool by any spelling; the row with the canonical form before a twin."""
    rows = Number.objects.filter(pool=pool).select_related("pool")
    one = canonical(value, pool.home_country)
    found = list(rows.filter(Q(canonical=one) | Q(value=value))[:2])
    return next((row for row in found if row.canonical == one), found[0] if found else None)
