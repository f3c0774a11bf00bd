"""The demo's first start: creates all tables of an empty SQLite database at once.

`migrate` renders all models again for each of its steps, which takes half a minute of CPU. This
module renders the state after the last migration once, creates its tables, and runs the steps that
don't change tables in their order. Elidable steps are left out: they only move existing data,
perhaps of a model that no longer exists. A test compares the result with that of `migrate`.
"""

from django.core.management.sql import emit_post_migrate_signal
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.operations import RunPython, RunSQL
from django.db.migrations.recorder import MigrationRecorder


def lay() -> bool:
    """Create all tables and record all migrations as applied, in one transaction.

    Return False if nothing was done because the database is not an empty SQLite one. The caller
    then needs `migrate`.
    """
    if connection.vendor != "sqlite" or connection.introspection.table_names():
        return False
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes(), clean_start=True)
    state = executor.loader.project_state()
    with connection.schema_editor(atomic=True) as editor:
        editor.create_model(MigrationRecorder.Migration)
        for model in state.apps.get_models():
            if model._meta.can_migrate(connection):
                editor.create_model(model)
        for migration, _ in plan:
            for operation in migration.operations:
                if isinstance(operation, RunPython | RunSQL) and not operation.elidable:
                    operation.database_forwards(migration.app_label, editor, state, state)
            executor.recorder.record_applied(migration.app_label, migration.name)
    emit_post_migrate_signal(0, False, connection.alias, apps=state.apps, plan=plan)
    return True
