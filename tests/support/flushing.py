"""How a test that commits leaves the database: empty but for what migrating has put there.

Django's own flush makes the content types and permissions of every model anew after each such
test, which took longer than most tests; here those rows stay.
"""

from importlib import import_module
from typing import Any

from django.core.management import call_command
from django.db import connection
from django.test import TransactionTestCase

AUDIT_LOG = "access_auditentry"
KEPT = {"django_content_type", "auth_permission"}


def make_flush_cheap() -> None:
    """Wrap `sql_flush` and the end of tests that commit, for this process."""
    triggers = import_module("poolsite.access.migrations.0002_audit_append_only")
    drop, create = triggers.DROP[connection.vendor], triggers.CREATE[connection.vendor]
    operations = type(connection.ops)
    original = operations.sql_flush

    def sql_flush(self: Any, style: Any, tables: Any, **options: Any) -> list[str]:
        """The audit log's triggers, which refuse it to everybody else, go and come back."""
        flushed = [table for table in tables if table not in KEPT]
        statements: list[str] = original(self, style, flushed, **options)
        return [*drop, *statements, *create] if AUDIT_LOG in tables else statements

    def _fixture_teardown(self: TransactionTestCase) -> None:
        for name in self._databases_names(include_mirrors=False):
            options = {"verbosity": 0, "interactive": False, "inhibit_post_migrate": True}
            call_command("flush", database=name, **options)

    operations.sql_flush = sql_flush  # type: ignore[method-assign]
    TransactionTestCase._fixture_teardown = _fixture_teardown  # type: ignore[method-assign]
