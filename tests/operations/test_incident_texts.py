"""An incident of the previous release is shown in this release's texts, and so in Chinese, too."""

import re
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from django.apps import apps
from django.utils import timezone

from poolsite.operations import checks
from poolsite.operations.models import Incident

pytestmark = pytest.mark.django_db
NAMES = [
    f"poolsite.operations.migrations.{name}"
    for name in ("0003_incident_texts", "0005_incident_owner")
]


@pytest.fixture(params=NAMES)
def migration(request: pytest.FixtureRequest) -> ModuleType:
    return import_module(request.param)


def incident(title: str, **more: Any) -> Incident:
    said = {"type": "t", "severity": "warning", "title_text": title, **more}
    return Incident.objects.create(object=title, since=timezone.now(), **said)


def test_the_migration_replaces_the_texts_that_changed_and_no_others(migration):
    old, new = next(iter(migration.TEXTS.items()))
    changed, own = incident(old), incident("A text of their own")
    migration.reword(apps, None)
    for each in (changed, own):
        each.refresh_from_db()
    assert (changed.title_text, own.title_text) == (new, "A text of their own")


def test_the_way_back_restores_them(migration):
    old = next(iter(migration.TEXTS))
    changed = incident(old)
    migration.reword(apps, None)
    migration.restore(apps, None)
    changed.refresh_from_db()
    assert changed.title_text == old


def test_a_text_among_the_values_of_another_is_replaced_too():
    migration = import_module(NAMES[1])
    why = {"text": "labelled as spam by %(value)s sources", "params": {"value": "1"}}
    rule = incident("%(why)s", type="numbers.health_rule", params={"why": why, "count": 1})
    migration.reword(apps, None)
    rule.refresh_from_db()
    assert rule.title == "spam label sources: 1"


@pytest.mark.parametrize("count", [1, 7])
def test_counted_texts_fit_one_as_well_as_many(count):
    texts = import_module(NAMES[1]).TEXTS.values()
    names = ("count", "fronts", "sessions", "late", "over", "days", "value")
    values = {**dict.fromkeys(names, count), **dict.fromkeys(("name", "status", "told"), "x")}
    values |= {"token": "x", "number": "1", "why": "x"}
    for text in texts:
        said = (text % values).replace("5 minutes", "")
        assert not re.search(r"\d+ \w+s\b", said), text


def test_a_missing_migration_is_told_without_a_plural(monkeypatch):
    class Executor:
        def __init__(self, connection) -> None:
            self.loader = SimpleNamespace(graph=SimpleNamespace(leaf_nodes=list))

        def migration_plan(self, targets) -> list[str]:
            return ["0005"]

    monkeypatch.setattr(checks, "MigrationExecutor", Executor)
    checks.forget()
    trouble = checks.migrations().trouble
    assert trouble.title % trouble.params == "Migrations not applied: 1"


@pytest.mark.parametrize("name", [*NAMES, "billing.migrations.0003_campaign_texts"])
def test_no_two_texts_become_one_so_that_there_is_a_way_back(name: str):
    texts = import_module(name).TEXTS
    assert len(set(texts.values())) == len(texts)
    assert not set(texts) & set(texts.values())
