"""The former release works with new migrations: the rule of docs/operations/upgrade.md."""

import pytest
from django.db import models
from django.db.migrations import operations as ops
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.migration import Migration
from django.db.migrations.state import ModelState, ProjectState

from poolsite.sql_migrations import AddIndexWithoutLock, AddLooserCheck
from tests.house.upgrades import faults, judge
from tests.support.former import migrations

APP = "calls"
pytestmark = pytest.mark.processes


def test_no_new_migration_stops_the_former_release():
    assert faults() == []


def test_every_app_has_its_released_migration():
    graph = MigrationLoader(None).graph
    for key in migrations().items():
        assert key in graph.nodes


def former() -> ProjectState:
    """A release with one table."""
    state = ProjectState()
    fields = {
        "id": models.BigAutoField(primary_key=True),
        "number": models.CharField(max_length=20),
        "ended_at": models.DateTimeField(null=True),
    }
    state.add_model(ModelState(APP, "Call", list(fields.items())))
    return state


def judged(*operations: object, atomic: bool = True) -> list[str]:
    migration = Migration("0002", APP)
    migration.operations = list(operations)
    migration.atomic = atomic
    return judge(migration, former(), former())


INDEX = models.Index(fields=["number"], name="call_number")
REFUSED = {
    "a column that is read": (ops.RemoveField("call", "ended_at"), "reads the column"),
    "a table that is used": (ops.DeleteModel("Call"), "uses the table"),
    "a column renamed": (ops.RenameField("call", "number", "caller"), "uses the old name"),
    "a table renamed": (ops.RenameModel("Call", "Dial"), "uses the old name"),
    "a value that it does not insert": (
        ops.AddField("call", "cost", models.IntegerField(default=0)),
        "db_default",
    ),
    "a unique column": (
        ops.AddField("call", "sip_id", models.CharField(max_length=9, null=True, unique=True)),
        "AddIndexWithoutLock",
    ),
    "NULL forbidden": (ops.AlterField("call", "ended_at", models.DateTimeField()), "write NULL"),
    "another type": (ops.AlterField("call", "number", models.IntegerField()), "rewrites"),
    "a shorter text": (
        ops.AlterField("call", "number", models.CharField(max_length=9)),
        "longer values",
    ),
    "an index under a lock": (ops.AddIndex("call", INDEX), "locks the table"),
    "an index in a transaction": (AddIndexWithoutLock("call", INDEX), "atomic = False"),
    "a new constraint": (
        ops.AddConstraint("call", models.UniqueConstraint(fields=["number"], name="one")),
        "rows of the former release",
    ),
    "unknown SQL": (ops.RunSQL("DROP TABLE calls_call"), "can't be judged"),
    "a removal without the state": (
        ops.SeparateDatabaseAndState([ops.RemoveField("call", "ended_at")]),
        "reads the column",
    ),
}


@pytest.mark.parametrize(("operation", "said"), REFUSED.values(), ids=REFUSED)
def test_what_stops_the_former_release_is_refused(operation: object, said: str):
    (fault,) = judged(operation)
    assert said in fault


ALLOWED = {
    "a column that may be NULL": [ops.AddField("call", "cost", models.IntegerField(null=True))],
    "a column with a default in SQL": [
        ops.AddField("call", "cost", models.IntegerField(db_default=0))
    ],
    "a longer text": [ops.AlterField("call", "number", models.CharField(max_length=40))],
    "NULL allowed": [
        ops.AlterField("call", "number", models.CharField(max_length=20, null=True)),
    ],
    "a column no longer used, kept in SQL": [
        ops.SeparateDatabaseAndState(state_operations=[ops.RemoveField("call", "ended_at")])
    ],
    "a new table, changed at once": [
        ops.CreateModel("Tariff", [("id", models.BigAutoField(primary_key=True))]),
        ops.AddField("tariff", "price", models.IntegerField()),
        ops.RemoveField("tariff", "price"),
        ops.DeleteModel("Tariff"),
    ],
    "rows": [ops.RunPython(ops.RunPython.noop)],
}


@pytest.mark.parametrize("operations", ALLOWED.values(), ids=ALLOWED)
def test_what_only_adds_is_allowed(operations: list[object]):
    assert judged(*operations) == []


def test_an_index_without_a_lock_is_allowed():
    assert judged(AddIndexWithoutLock("call", INDEX), atomic=False) == []


def test_a_check_looser_than_the_one_that_it_replaces_is_allowed():
    state = former()
    tight = models.CheckConstraint(condition=~models.Q(number=""), name="has_number")
    state.add_constraint(APP, "call", tight)
    loose = models.CheckConstraint(condition=models.Q(number__isnull=False), name="number_or_none")
    migration = Migration("0002", APP)
    migration.operations = [AddLooserCheck("call", loose, instead_of="has_number")]
    assert judge(migration, state.clone(), state) == []
    (left,) = state.models[APP, "call"].options["constraints"]
    assert left.name == "number_or_none"
