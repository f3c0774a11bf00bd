"""The admin's first page: every model has a line, each reader sees what he or she may open."""

import pytest
from django.contrib import admin

from poolsite.operations.admin_index import AREAS, COUNTED
from poolsite.operations.admin_texts import ABOUT
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
