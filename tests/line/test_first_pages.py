"""The first page after log-in: the desk's wallboard for supervisors, the console for agents."""

import pytest

from poolsite.access import first_page, principal_of_user, services
from queueing.line.models import Desk
from tests.access.world import World, make_world


@pytest.fixture
def world(db) -> World:
    return make_world()


@pytest.fixture
def desk(world: World) -> Desk:
    return Desk.objects.create(slug="help", name="Help", account=world.own)


def lands(world: World, reader: str) -> str:
    return first_page(principal_of_user(world.users[reader]))


def test_a_supervisor_of_one_desk_lands_on_its_wallboard(world: World, desk: Desk) -> None:
    assert lands(world, "supervisor") == "/desks/help/"


def test_a_supervisor_of_several_desks_chooses(world: World, desk: Desk) -> None:
    Desk.objects.create(slug="sales", name="Sales", account=world.own)
    assert lands(world, "supervisor") == "/desks/"


def test_a_foreign_desk_does_not_count(world: World, desk: Desk) -> None:
    Desk.objects.create(slug="abroad", name="Abroad", account=world.other)
    assert lands(world, "supervisor") == "/desks/help/"


def test_an_operator_who_only_supervises_lands_there_too(world: World, desk: Desk) -> None:
    assert lands(world, "supervise") == "/desks/help/"
    services.grant_set(user=world.users["supervise"], name="operate", actor="test")
    assert lands(world, "supervise") == "/overview/"


def test_an_agent_lands_on_the_console(world: World, desk: Desk) -> None:
    assert lands(world, "agent") == "/agent/"
