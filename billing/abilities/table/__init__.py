"""The provider `table`: an imported list of terminals in SQL."""

from billing.abilities.table.provider import provider

__all__ = ["provider"]
