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
# The migrations whose triggers refuse changes to everybody else: they go and come back.
REFUSING = ("poolsite.access.migrations.0002_audit_append_only", "billing.migrations.0007_invoices")


def make_flush_cheap() -> None:
    """Replace how tests that commit end, for this process."""

    def _fixture_teardown(self: TransactionTestCase) -> None:
        for name in self._databases_names(include_mirrors=False):
            connection = connections[name]
            connection.ops.execute_sql_flush(_statements(name, connection.vendor))

    TransactionTestCase._fixture_teardown = _fixture_teardown


@cache
def _statements(name: str, vendor: str) -> list[str]:
    """Empty every table; the triggers of REFUSING go before and come back after."""
    triggers = [import_module(each) for each in REFUSING]
    connection = connections[name]
    tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
    emptied = [table for table in tables if table not in KEPT]
    empty = connection.ops.sql_flush(no_style(), emptied, reset_sequences=True)
    dropped = [statement for each in triggers for statement in each.DROP[vendor]]
    created = [statement for each in triggers for statement in each.CREATE[vendor]]
    return [*dropped, *empty, *created]
