"""An incident of the release before is shown in the words of this one, and so in Chinese, too."""

from importlib import import_module

import pytest
from django.apps import apps
from django.utils import timezone

from poolsite.operations.models import Incident

pytestmark = pytest.mark.django_db
MIGRATION = import_module("poolsite.operations.migrations.0003_incident_texts")
OLD, NEW = next(iter(MIGRATION.TEXTS.items()))


def incident(title: str) -> Incident:
    return Incident.objects.create(
        type="t", object=title, severity="warning", title_text=title, since=timezone.now()
    )


def test_the_migration_replaces_the_texts_that_changed_and_no_others():
    changed, own = incident(OLD), incident("A text of their own")
    MIGRATION.reword(apps, None)
    for each in (changed, own):
        each.refresh_from_db()
    assert (changed.title_text, own.title_text) == (NEW, "A text of their own")


def test_the_way_back_restores_them():
    changed = incident(OLD)
    MIGRATION.reword(apps, None)
    MIGRATION.restore(apps, None)
    changed.refresh_from_db()
    assert changed.title_text == OLD


@pytest.mark.parametrize(
    "name",
    [
        "poolsite.operations.migrations.0003_incident_texts",
        "billing.migrations.0003_campaign_texts",
    ],
)
def test_no_two_texts_become_one_so_that_there_is_a_way_back(name: str):
    texts = import_module(name).TEXTS
    assert len(set(texts.values())) == len(texts)
    assert not set(texts) & set(texts.values())
