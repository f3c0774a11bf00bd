"""The demo's first start: every table of an empty SQLite database at once.

`migrate` renders all models anew for each of its steps, half a minute of CPU. Here the state after
the last migration is rendered once, its tables are made, and the steps that are no tables are run
in their order. An elidable step only moves data that was there, perhaps of a model that is gone; it
is left out. A test holds the result against that of `migrate`.
"""

from django.core.management.sql import emit_post_migrate_signal
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.operations import RunPython, RunSQL
from django.db.migrations.recorder import MigrationRecorder


def lay() -> bool:
    """Make all tables and note all migrations as applied, in one transaction; False = nothing was
    done: the database is not an empty SQLite one, so `migrate` is asked for.
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
