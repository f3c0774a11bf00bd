"""The admin's first page: every model has a line, and each user sees the ones they may open."""

import re

import pytest
from django.contrib import admin
from django.utils import timezone

from poolsite.console.admin_index import AREAS, COUNTED
from poolsite.console.admin_texts import ABOUT
from poolsite.jobs.models import Job
from queueing.admission.admin import EVENTS as GATE_WORDS
from queueing.admission.gate.changes import EVENTS as GATE_EVENTS
from queueing.line.admin_words import EVENTS as LINE_WORDS
from queueing.line.services.records import STEPS
from tests.access.world import World, make_world


@pytest.fixture
def world(db: None) -> World:
    return make_world().with_everybody()


def test_every_model_of_the_admin_says_what_it_is_for() -> None:
    registered = {model._meta.label_lower for model in admin.site._registry}
    named = {label for area in AREAS for label in area.apps}
    assert {label.partition(".")[0] for label in registered} == named
    assert set(ABOUT) == registered
    assert registered >= COUNTED


def test_the_page_groups_counts_and_leads_back(world: World) -> None:
    answer = world.client("operate").get("/admin/")
    page = answer.content.decode()
    cards = {str(card.area.title): card for card in answer.context["areas"]}
    assert set(cards) == {str(area.title) for area in AREAS}
    accounts = next(row for row in cards["People and access"].rows if row["name"] == "Accounts")
    assert accounts["count"] == 2
    assert "Customers of the platform: name, zone and language" in page
    assert 'href="/accounts/">Accounts in the console</a>' in page
    assert "favicon" in page
    assert "Back to the console" in page


def test_the_page_says_what_waits_and_leads_there(world: World) -> None:
    Job.objects.create(kind="a", state=Job.State.FAILED, finished_at=timezone.now())
    answer = world.client("operate").get("/admin/")
    page = answer.content.decode()
    assert '<a href="/admin/jobs/job/?state__exact=failed">1 job failed in the last 24' in page
    assert [title for title in re.findall(r"<h1.*?</h1>", page, re.DOTALL) if "Admin" in title]


def test_every_event_of_a_gate_has_its_words() -> None:
    assert set(GATE_WORDS) == set(GATE_EVENTS)


def test_every_event_of_a_desk_that_becomes_a_row_has_its_words() -> None:
    assert set(STEPS) <= set(LINE_WORDS)
