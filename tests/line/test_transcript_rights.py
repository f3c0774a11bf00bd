"""The right to read a visit: page, API and socket give each user the same answer."""

from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.test import Client

from poolsite import hotpath
from poolsite.access import Decision, principal_of_user
from poolsite.access.models import User
from poolsite.access.services import membership_set
from queueing.line import desk as commands
from queueing.line.models import Visit
from queueing.line.services import rooms, visits
from queueing.line.topics.visit import RoomTopic, TalkTopic, VisitTopic
from tests.access.world import World, make_world
from tests.line.line_world import LineWorld, make_line

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


class Stage:
    """A desk with two agents. Ann is in Li's room, and Bo waits."""

    def __init__(self) -> None:
        self.line: LineWorld = make_line()
        self.world: World = make_world()
        self.li = self.line.agent("li", online=True)
        self.ann, self.bo = (
            visits.visit_join(queue=self.line.queue, name=name).visit for name in ("Ann", "Bo")
        )
        self.line.drain()
        rooms.message_send(visit=self.fresh(self.ann), author="visitor", client_id="1", text="Hi")
        self.wu = self.line.agent("wu", capacity=2)

    def fresh(self, visit: Visit) -> Visit:
        return Visit.objects.select_related("desk", "queue").get(pk=visit.pk)

    def user(self, name: str) -> User:
        """Return one of: li, wu, supervisor (of the desk's account), foreign, looker."""
        if name in ("li", "wu"):
            return User.objects.get(pk=getattr(self, name).user_id)
        if name == "supervisor":
            boss = self.world.users["roleless"]
            membership_set(user=boss, account=self.line.account, roles=[name], actor="test")
            return boss
        return self.world.users[name]

    def answers(self, name: str, visit: Visit) -> dict[str, int]:
        """Return the status of each way to a visit, for one reader."""
        user = self.user(name)
        client = Client()
        client.force_login(user)
        key = visit.public_id
        said = {
            path: client.get(path).status_code
            for path in (
                f"/desks/support/visits/{key}/",
                f"/api/v1/visits/{key}",
                f"/api/v1/visits/{key}/messages",
                f"/api/v1/visits/{key}/transcript",
            )
        }
        principal = principal_of_user(User.objects.get(pk=user.pk))
        for topic in (VisitTopic, TalkTopic, RoomTopic):
            decision: Decision = async_to_sync(topic(key).allowed)(principal)
            said[topic.name] = decision.http_status
        return said


@pytest.fixture
def stage() -> Stage:
    return Stage()


@pytest.mark.parametrize(
    ("reader", "visit", "status"),
    [
        ("li", "ann", 200),
        ("li", "bo", 403),
        ("wu", "ann", 403),
        ("wu", "bo", 403),
        ("supervisor", "ann", 200),
        ("supervisor", "bo", 200),
        ("looker", "ann", 200),
        ("foreign", "ann", 404),
        ("agent", "ann", 404),
    ],
)
def test_every_way_to_a_visit_gives_one_answer(
    stage: Stage, reader: str, visit: str, status: int
) -> None:
    said = stage.answers(reader, getattr(stage, visit))
    assert set(said.values()) == {status}, said


def test_an_agent_reads_it_while_it_is_in_the_room_and_no_longer(stage: Stage) -> None:
    assert hotpath.run(commands.login("support", stage.wu.user_id)).answer == "ok"
    rooms.visit_transfer(actor="test", visit=stage.fresh(stage.ann), agent=stage.wu)
    assert set(stage.answers("li", stage.ann).values()) == {403}
    assert set(stage.answers("wu", stage.ann).values()) == {200}
    rooms.room_finish(stage.wu, stage.ann.public_id)
    stage.line.drain()
    assert set(stage.answers("wu", stage.ann).values()) == {403}
    assert set(stage.answers("supervisor", stage.ann).values()) == {200}


def test_the_agent_of_a_room_hears_it_before_sql_has_the_visit(stage: Stage) -> None:
    """The desk sends the agent's page a visit that is not saved yet; no one else is let in."""
    assert hotpath.run(commands.login("support", stage.wu.user_id)).answer == "ok"
    matched = hotpath.run(commands.join("support", "early", stage.line.queue.pk))
    assert matched.agent == stage.wu.user_id
    assert not Visit.objects.filter(public_id="early").exists()
    for name, status in {"wu": 200, "li": 404, "supervisor": 404, "foreign": 404}.items():
        reader = principal_of_user(stage.user(name))
        assert async_to_sync(RoomTopic("early").allowed)(reader).http_status == status, name


def test_nobody_is_told_whether_there_is_such_a_visit(stage: Stage) -> None:
    for key in (stage.ann.public_id, "nothing-here"):
        answer: Any = Client().get(f"/desks/support/visits/{key}/")
        assert answer["Location"].startswith("/login/")
    client = Client()
    client.force_login(stage.user("foreign"))
    known, unknown = (
        client.get(f"/desks/support/visits/{key}/") for key in (stage.ann.public_id, "nothing-here")
    )
    assert known.status_code == unknown.status_code == 404


def test_an_agents_page_of_the_visit_has_no_network_address(stage: Stage) -> None:
    Visit.objects.update(address="192.0.2.77")
    for reader, shown in (("supervisor", True), ("li", False)):
        client = Client()
        client.force_login(stage.user(reader))
        page = client.get(f"/desks/support/visits/{stage.ann.public_id}/").content.decode()
        assert ("192.0.2.77" in page) is shown
        assert "Hi" in page
