"""Empty the database after a test that commits, except for the rows that migrations created.

Django's own flush creates the content types and permissions of every model again after each such
test, which took longer than most tests. Here those rows stay, and the SQL statements are built
once.
"""

from functools import cache
from importlib import import_module

from django.core.management.color import no_style
from django.db import connections
from django.test import TransactionTestCase

KEPT = {"django_content_type", "auth_permission"}
# Migrations with triggers that refuse changes: the triggers are dropped and created again.
REFUSING = ("poolsite.access.migrations.0002_audit_append_only", "billing.migrations.0007_invoices")


def make_flush_cheap() -> None:
    """Replace the flush after tests that commit, for this process."""

    def _fixture_teardown(self: TransactionTestCase) -> None:
        for name in self._databases_names(include_mirrors=False):
            connection = connections[name]
            connection.ops.execute_sql_flush(_statements(name, connection.vendor))

    TransactionTestCase._fixture_teardown = _fixture_teardown


@cache
def _statements(name: str, vendor: str) -> list[str]:
    """Return the statements that empty every table.

    The triggers of REFUSING are dropped before and created again after.
    """
    triggers = [import_module(each) for each in REFUSING]
    connection = connections[name]
    tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
    emptied = [table for table in tables if table not in KEPT]
    empty = connection.ops.sql_flush(no_style(), emptied, reset_sequences=True)
    dropped = [statement for each in triggers for statement in each.DROP[vendor]]
    created = [statement for each in triggers for statement in each.CREATE[vendor]]
    return [*dropped, *empty, *created]
