"""Answers from TerminalListing, which services.abilities imports from CSV or XLSX."""

from collections.abc import Mapping, Sequence

from django.db import Error as DatabaseError

from billing.abilities.interface import AbilityProvider, ProviderFailedError
from billing.abilities.table.forms import forms_of
from billing.models import TerminalListing


class TableProvider:
    """Looks up to 1 000 numbers up with one query."""

    name = "table"
    remote = False  # the caller uses SQL itself

    def ask(self, numbers: Sequence[str], seconds: float) -> Mapping[str, bool]:
        """Look numbers up, in every form that files use. The form imported last counts.

        Raise ProviderFailedError if SQL is not available.
        """
        forms = {number: forms_of(number) for number in numbers}
        wanted = {form for its in forms.values() for form in its}
        rows = TerminalListing.objects.filter(number__in=wanted).order_by("imported_at", "pk")
        try:
            listed = dict(rows.values_list("number", "supports_yuexin"))
        except DatabaseError as error:
            raise ProviderFailedError(f"table: {error}") from error
        order = {form: place for place, form in enumerate(listed)}
        known = {}
        for number, its in forms.items():
            there = [form for form in its if form in listed]
            if there:
                known[number] = listed[max(there, key=order.__getitem__)]
        return known


def provider() -> AbilityProvider:
    """Return the provider."""
    return TableProvider()
