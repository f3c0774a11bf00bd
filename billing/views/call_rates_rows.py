"""The rows of a list of call rates."""

from typing import Any

from django.db.models import Q, QuerySet

from billing.call_words import times_words
from billing.models import CallRate, Tariff
from billing.services.call_rates import rate_in

FEW = 10  # on the page of the version itself


def found_rates(tariff: Tariff, text: str) -> QuerySet[CallRate]:
    """Return the rates whose destination contains the text, or that may apply to a number."""
    rows = CallRate.objects.filter(tariff=tariff)
    if not text:
        return rows
    digits = "".join(char for char in text if char not in " -().")
    digits = f"+{digits[2:]}" if digits.startswith("00") else digits
    wanted = Q(destination__icontains=text)
    if digits.removeprefix("+").isdecimal():
        wanted |= Q(prefix__startswith=digits)
        wanted |= Q(prefix__in=[digits[:length] for length in range(len(digits))])
    return rows.filter(wanted)


def shown_rates(rows: list[CallRate]) -> list[dict[str, Any]]:
    """Return what a table shows of each rate."""
    return [{"rate": row, "times": times_words(rate_in(row))} for row in rows]


def few_rates(tariff: Tariff) -> list[dict[str, Any]]:
    """Return the first rates of a version."""
    if not tariff.rates_count:
        return []
    return shown_rates(list(found_rates(tariff, "").order_by("prefix", "pk")[:FEW]))
