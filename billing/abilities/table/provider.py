"""Answers from TerminalListing, which services.abilities imports from CSV or XLSX."""

from collections.abc import Mapping, Sequence

from django.db import Error as DatabaseError

from billing.abilities.interface import Provider, ProviderFailedError
from billing.models import TerminalListing


class TableProvider:
    """One query for up to 1 000 numbers."""

    name = "table"
    remote = False  # the caller has SQL open as it is

    def ask(self, numbers: Sequence[str], seconds: float) -> Mapping[str, bool]:
        """Look numbers up. ProviderFailedError when SQL is away."""
        rows = TerminalListing.objects.filter(number__in=numbers)
        try:
            return dict(rows.values_list("number", "supports_yuexin"))
        except DatabaseError as error:
            raise ProviderFailedError(f"table: {error}") from error


def provider() -> Provider:
    """The provider that the settings name."""
    return TableProvider()
