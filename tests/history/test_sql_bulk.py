"""What is written in bulk is what Django reads back, on both databases."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.db import DataError, IntegrityError, connection, models, transaction
from environ import Env

from poolsite import sql_bulk
from poolsite.access.models import Account
from tests.support.connecting import connected_to

pytestmark = pytest.mark.processes

MOMENT = datetime(2026, 11, 28, 2, 3, 4, 567_891, tzinfo=UTC)
TEXTS = ["", "plain", 'say "no", {x}', "tab\tnew\nline\r", "back\\slash \\N", "号码 \u2028", "NULL"]


class Kind(models.TextChoices):
    ODD = "odd\tkind", "odd"


class Thing(models.Model):
    """A model with a field of each kind, and the defaults that rows may omit."""

    name = models.CharField(max_length=20, unique=True)
    order = models.IntegerField(default=7)  # a reserved word of SQL
    flag = models.BooleanField(null=True)
    at = models.DateTimeField(null=True)
    made_at = models.DateTimeField(auto_now_add=True)
    more = models.JSONField(default=dict)
    account = models.ForeignKey(
        Account, models.CASCADE, db_constraint=False, null=True, related_name="+"
    )

    class Meta:
        app_label = "bulktest"

    def __str__(self) -> str:
        return self.name


class Number(models.Model):
    """A model with a field of a kind that is never written in bulk."""

    amount = models.DecimalField(max_digits=5, decimal_places=2)

    class Meta:
        app_label = "bulktest"

    def __str__(self) -> str:
        return str(self.amount)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.needs("postgres"))])
def database(
    request: pytest.FixtureRequest, tmp_path: Path, django_db_blocker: Any
) -> Iterator[str]:
    """Point the default connection at an empty database of this kind, with the table."""
    url = f"sqlite:///{tmp_path / 'bulk.sqlite3'}"
    if request.param == "postgres":
        url = request.getfixturevalue("postgres_server").create_database()
    with django_db_blocker.unblock(), connected_to(Env.db_url_config(url)):
        with connection.schema_editor() as editor:
            editor.create_model(Thing)
        sql_bulk._columns.cache_clear()
        yield request.param
    sql_bulk._columns.cache_clear()


def things() -> dict[str, Thing]:
    return {thing.name: thing for thing in Thing.objects.all()}


def test_rows_are_inserted_as_they_are_given(database: str) -> None:
    rows: list[dict[str, Any]] = [{"name": text} for text in TEXTS]
    whole = {"name": "whole", "order": -3, "flag": True, "at": MOMENT, "account_id": 9}
    sql_bulk.insert(Thing, [*rows, {**whole, "more": {"a": ['"', None, "\\"]}}])
    sql_bulk.insert(Thing, [vars(Thing(name=Kind.ODD, flag=False))])
    sql_bulk.insert(Thing, [])
    found = things()
    assert set(found) == {*TEXTS, "whole", "odd\tkind"}
    assert {name: getattr(found["whole"], name) for name in whole} == whole
    assert found["whole"].more == {"a": ['"', None, "\\"]}
    plain = found["plain"]
    assert (plain.order, plain.flag, plain.at, plain.more, plain.account_id) == (
        7,
        None,
        None,
        {},
        None,
    )
    assert abs((plain.made_at - datetime.now(UTC)).total_seconds()) < 600
    assert found["odd\tkind"].flag is False


def test_rows_are_updated_by_their_keys(database: str) -> None:
    Thing.objects.bulk_create([Thing(name=text) for text in TEXTS])
    rows = list(Thing.objects.exclude(name="plain"))
    for place, row in enumerate(rows):
        row.name, row.order, row.flag, row.at = row.name + "!", place, place % 2 == 0, MOMENT
        row.more = {"place": place, "text": row.name}
        row.account_id = None if place else 5
    gone = {**vars(rows[0]), "id": 0}
    names = ["name", "order", "flag", "at", "more", "account_id"]
    sql_bulk.update(Thing, [*map(vars, rows), gone], names)
    sql_bulk.update(Thing, [], names)
    found = things()
    assert set(found) == {"plain", *(text + "!" for text in TEXTS if text != "plain")}
    for row in rows:
        assert {name: getattr(found[row.name], name) for name in names} == {
            name: getattr(row, name) for name in names
        }
    assert (found["plain"].order, found["plain"].at) == (7, None)


def test_counts_are_added_where_a_row_is_there(database: str) -> None:
    given: dict[str, Any] = {"unique": ["name"], "added": ["order"], "replaced": ["account_id"]}
    names = ["name", "order", "account_id", "made_at", "more"]
    sql_bulk.add_up(
        Thing, names, [["a\t", 1, None, MOMENT, "{}"], ["b", 2, 4, MOMENT, "{}"]], **given
    )
    sql_bulk.add_up(
        Thing, names, [["b", 40, None, MOMENT, "{}"], ["c", 5, 6, MOMENT, "{}"]], **given
    )
    sql_bulk.add_up(Thing, names, [], **given)
    found = {thing.name: (thing.order, thing.account_id) for thing in Thing.objects.all()}
    assert found == {"a\t": (1, None), "b": (42, None), "c": (5, 6)}


def test_a_row_that_is_refused_takes_the_others_with_it(database: str) -> None:
    sql_bulk.insert(Thing, [{"name": "one"}, {"name": "two"}])
    with pytest.raises(IntegrityError), transaction.atomic():
        sql_bulk.insert(Thing, [{"name": "three"}, {"name": "two"}])
    if database == "postgres":  # SQLite doesn't limit the length of a text
        with pytest.raises(DataError), transaction.atomic():
            sql_bulk.insert(Thing, [{"name": "three"}, {"name": "x" * 21}])
        one = {**vars(things()["one"]), "name": "x" * 21}
        with pytest.raises(DataError), transaction.atomic():
            sql_bulk.update(Thing, [one], ["name"])
    assert set(things()) == {"one", "two"}


def test_no_default_takes_the_place_of_what_was_not_loaded(database: str) -> None:
    sql_bulk.insert(Thing, [{"name": "one", "order": 3}])
    row = Thing.objects.only("name").get()
    with pytest.raises(KeyError, match="each row needs id, name, order"):
        sql_bulk.update(Thing, [vars(row)], ["name", "order"])
    assert things()["one"].order == 3


def test_a_field_of_another_kind_is_refused(database: str) -> None:
    with pytest.raises(TypeError, match="amount"):
        sql_bulk.insert(Number, [{"amount": 1}])
