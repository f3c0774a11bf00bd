"""How a test that commits leaves the database: empty but for what migrating has put there.

Django's own flush makes the content types and permissions of every model anew after each such
test, which took longer than most tests; here those rows stay, and the statements are made once.
"""

from functools import cache
from importlib import import_module

from django.core.management.color import no_style
from django.db import connections
from django.test import TransactionTestCase

KEPT = {"django_content_type", "auth_permission"}


def make_flush_cheap() -> None:
    """Replace how tests that commit end, for this process."""

    def _fixture_teardown(self: TransactionTestCase) -> None:
        for name in self._databases_names(include_mirrors=False):
            connection = connections[name]
            connection.ops.execute_sql_flush(_statements(name, connection.vendor))

    TransactionTestCase._fixture_teardown = _fixture_teardown  # type: ignore[method-assign]


@cache
def _statements(name: str, vendor: str) -> list[str]:
    """The audit log's triggers, which refuse it to everybody else, go and come back."""
    triggers = import_module("poolsite.access.migrations.0002_audit_append_only")
    connection = connections[name]
    tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
    emptied = [table for table in tables if table not in KEPT]
    empty = connection.ops.sql_flush(no_style(), emptied, reset_sequences=True)
    return [*triggers.DROP[vendor], *empty, *triggers.CREATE[vendor]]
