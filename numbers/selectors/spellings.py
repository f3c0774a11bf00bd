"""Finds numbers in any format. A typed number is never compared as it is."""

from collections.abc import Sequence

import phonenumbers
from django.conf import settings
from django.db.models import Q, QuerySet

from numbers.canonical import canonical, spellings
from numbers.models import Number, Pool
from poolsite import number_format

AT_ONCE = 400  # SQLite limits the number of parameters


def homes() -> list[str]:
    """The home countries by which a number may be read: the platform's (""), and those of pools."""
    own = Pool.objects.exclude(home_country="").order_by("home_country")
    return ["", *own.values_list("home_country", flat=True).distinct()]


def every_spelling(value: str) -> tuple[str, ...]:
    """Every format that call records and events may have for a normalised number."""
    return spellings(value, homes())


def stored_value(numbers: QuerySet[Number], value: str) -> str:
    """Return the format in which one of these rows stores the number, or `value` if none does."""
    forms = {canonical(value, home) for home in homes()}
    rows = numbers.filter(Q(value=value) | Q(canonical__in=forms))
    found = list(rows.values_list("value", flat=True)[:10])
    return value if value in found or not found else min(found)


def number_of_pool(pool: Pool, value: str) -> Number | None:
    """Return a number of a pool, in any format. The canonical row precedes a duplicate."""
    rows = Number.objects.filter(pool=pool).select_related("pool")
    one = canonical(value, pool.home_country)
    found = list(rows.filter(Q(canonical=one) | Q(value=value))[:2])
    return next((row for row in found if row.canonical == one), found[0] if found else None)


def typed_prefix(text: str) -> str:
    """Clean up the typed first digits of a number: `138 0013 04` → 138001304, `0086 1` → +861."""
    kept = "".join(char for char in text if char.isascii() and (char.isdigit() or char == "+"))
    if kept.startswith("00"):
        kept = "+" + kept[2:]
    if text and not kept:
        return "?"  # no number begins with it
    return kept[:1] + kept[1:].replace("+", "")


def with_country(prefix: str) -> str:
    """Put the platform's country code before a prefix: 138 → +86138."""
    if prefix.startswith(("+", "?")) or not prefix:
        return prefix
    code = phonenumbers.country_code_for_region(settings.PLATFORM_REGION)
    return f"+{code}{prefix}"


def numbers_of_pool(pool: Pool, texts: Sequence[str]) -> tuple[list[Number], list[str]]:
    """Return the pool's rows that texts in any format name, each once, and the unmatched texts."""
    asked = {text: _canonical_of(text, pool) for text in texts}
    known: dict[str, Number] = {}
    values = sorted({one for one in asked.values() if one})
    for start in range(0, len(values), AT_ONCE):
        chunk = values[start : start + AT_ONCE]
        found = Number.objects.filter(Q(canonical__in=chunk) | Q(value__in=chunk), pool=pool)
        for row in found.order_by("-canonical"):
            row.pool = pool
            known.setdefault(row.canonical or row.value, row)
    rows = {known[one].pk: known[one] for one in asked.values() if one in known}
    return list(rows.values()), [text for text, one in asked.items() if one not in known]


def _canonical_of(text: str, pool: Pool) -> str:
    """The canonical form, or "" if the text is not a number."""
    found = number_format.normalise(text)
    if not isinstance(found, number_format.Normalised):
        return ""
    return canonical(found.value, pool.home_country)
