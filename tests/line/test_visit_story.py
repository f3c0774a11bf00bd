"""A visit's page for staff: how long it waited and was served, what happened, its links."""

from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from poolsite.access import principal_of_user
from poolsite.access.models import Grant, Membership, User
from queueing.line.models import Agent, Room, RoomEvent, Visit
from queueing.line.selectors import stories
from tests.line.line_world import LineWorld, make_line
from tests.line.past import past_visit

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


@pytest.fixture
def line() -> LineWorld:
    return make_line()


@pytest.fixture
def operator() -> User:
    user = User.objects.create_user("op", first_name="Lin", last_name="Mei", is_operator=True)
    for name in ("operate", "supervise"):
        Grant.objects.create(user=user, name=name)
    return user


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def happens(
    visit: Visit, at: datetime, kind: str, agent: Agent | None = None, **given: str
) -> None:
    seq = RoomEvent.objects.count() + 1
    RoomEvent.objects.create(
        visit=visit, generation=1, seq=seq, kind=kind, agent=agent, at=at, **given
    )


def told(visit: Visit, reader: User) -> list[tuple[str, str]]:
    return [
        (line.text, line.why)
        for line in stories.story(Visit.objects.get(pk=visit.pk), principal_of_user(reader))
    ]


def test_each_event_says_how_long_it_took_who_did_it_and_why(
    line: LineWorld, operator: User
) -> None:
    li, wu = line.agent("li"), line.agent("wu")
    begin = timezone.now() - timedelta(hours=1)
    visit = past_visit(line.queue, begin, wait=70, agent=wu, room=600)
    Visit.objects.filter(pk=visit.pk).update(
        place_at_join=2, predicted_low_seconds=60, predicted_high_seconds=240
    )

    def at(seconds: float) -> datetime:
        return begin + timedelta(seconds=seconds)

    why = "fewest rooms longest idle rooms 0 idle s 125"
    happens(visit, at(70), "room", li, text=why)
    happens(visit, at(100), "guest_joined", li, actor="Zhao_Min")
    happens(visit, at(130), "transfer", li, text="op")
    happens(visit, at(160), "room", wu, text="taken by op")
    happens(visit, at(170), "called", wu, text="call-1")
    happens(visit, at(400), "end", wu, text="removed", actor="op")
    assert told(visit, operator) == [
        ("Joined the line.", "2 visitors ahead · expected wait 1 min to 4 min"),
        (
            f"Room with {li.name} started.",
            "Waited 1 min 10 s · Fewest rooms (0), then longest idle (2 min 5 s)",
        ),
        ("Zhao Min joined the room.", ""),
        ("Transferred to another queue.", "Room lasted 1 min · By Lin Mei"),
        (f"Room with {wu.name} started.", "Waited 30 s · Taken by Lin Mei"),
        (f"{wu.name} called the visitor back.", ""),
        ("The visit ended: removed by a supervisor.", "Room lasted 4 min · By Lin Mei"),
    ]


def test_without_events_the_rooms_tell_what_happened(line: LineWorld, operator: User) -> None:
    li = line.agent("li")
    begin = timezone.now() - timedelta(hours=1)
    served = past_visit(line.queue, begin, wait=70, agent=li, room=600)
    Visit.objects.filter(pk=served.pk).update(why="fewest rooms longest idle")
    assert told(served, operator) == [
        (f"Joined {line.queue}.", ""),
        (f"Room with {li.name} started.", "Waited 1 min 10 s · Fewest rooms, then longest idle"),
        ("The visit ended: served.", "Room lasted 10 min"),
    ]
    gave_up = past_visit(line.queue, begin, wait=45)
    assert told(gave_up, operator)[1:] == [("The visit ended: left while waiting.", "Waited 45 s")]


def test_the_page_tells_lengths_and_leads_where_its_reader_may_go(
    line: LineWorld, operator: User
) -> None:
    li = line.agent("li")
    begin = timezone.now() - timedelta(hours=1)
    visit = past_visit(line.queue, begin, wait=70, agent=li, room=600, stars=4)
    url = f"/desks/{line.desk.slug}/visits/{visit.public_id}/"
    page = browser(operator).get(url).content.decode()
    for words in ("1 min 10 s", "10 min", "11 min", "of 5", "Served"):
        assert words in page
    floor, settings = f"/desks/{line.desk.slug}/floor/?queue=", f"agents/{li.user_id}/"
    assert floor in page
    assert settings in page
    supervisor = User.objects.create_user("boss")
    Membership.objects.create(user=supervisor, account=line.account, role="supervisor")
    page = browser(supervisor).get(url).content.decode()
    assert floor in page
    assert settings not in page  # a supervisor cannot set up agents


def test_lengths_of_a_visit_that_runs_grow_from_when_they_began(
    line: LineWorld, operator: User
) -> None:
    li = line.agent("li")
    begin = timezone.now() - timedelta(minutes=30)
    visit = past_visit(line.queue, begin, wait=60, agent=li, room=None)
    Room.objects.update(began_at=begin + timedelta(seconds=400))
    Room.objects.create(
        visit=visit,
        queue=line.queue,
        agent=li,
        began_at=begin + timedelta(seconds=60),
        ended_at=begin + timedelta(seconds=160),
    )
    url = f"/desks/{line.desk.slug}/visits/{visit.public_id}/"
    found = browser(operator).get(url).context
    assert found["rooms_since"] == begin + timedelta(seconds=300)  # 100 s of it were earlier
    assert found["visit"].seconds is None
    assert found["visit"].waited_seconds == 60
