"""An agent's own history: only own rooms, searched and read as far as the agent was there."""

from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from poolsite.access.models import User
from queueing.line.models import Agent, Message, OutcomeCode, Room, Visit
from queueing.line.selectors import own_history
from queueing.line.selectors.own_history import HistoryQuery
from queueing.line.services import erasing
from tests.line.line_world import LineWorld, make_line
from tests.line.past import past_visit

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


@pytest.fixture
def line() -> LineWorld:
    return make_line()


def ago(**given: float) -> datetime:
    return timezone.now() - timedelta(**given)


def says(
    visit: Visit, text: str, at: datetime, author: str = "visitor", by: Agent | None = None
) -> None:
    number = Message.objects.filter(visit=visit).count() + 1
    Message.objects.create(
        visit=visit, number=number, author=author, agent=by, client_id=str(number), text=text, at=at
    )


def browser(agent: Agent) -> Client:
    client = Client()
    client.force_login(User.objects.get(pk=agent.user_id))
    return client


def found(agent: Agent, **wanted: object) -> list[str]:
    rows = own_history.own_rooms(agent, HistoryQuery(**wanted))
    return [row.visit.name for row in rows]


def test_own_rooms_newest_first_of_the_time_that_is_asked_for(line: LineWorld) -> None:
    li, wu = line.agent("li"), line.agent("wu")
    for days in (1, 8, 31, 89, 91):
        past_visit(line.queue, ago(days=days), agent=li, name=f"{days} days")
    past_visit(line.queue, ago(days=2), agent=wu, name="of Wu")
    past_visit(line.queue, ago(days=2), name="gave up")
    past_visit(line.queue, ago(hours=1), agent=li, room=None, name="runs")
    assert found(li, days=7) == ["1 days"]
    assert found(li, days=90) == ["1 days", "8 days", "31 days", "89 days"]
    assert found(li, days=10_000) == found(li, days=90)  # no further than that


def test_names_topics_and_what_was_said_there_are_searched(line: LineWorld) -> None:
    li, wu = line.agent("li"), line.agent("wu")
    ann, bo, cy = (
        past_visit(line.queue, ago(days=1, minutes=place), agent=li, name=name, room=60)
        for place, name in enumerate(("Ann", "Bo", "Cy"))
    )
    Visit.objects.filter(pk=bo.pk).update(topic="Invoice 100%")
    says(cy, "Where is my PARCEL?", cy.joined_at + timedelta(seconds=20))
    says(ann, "About a parcel, said when you were gone.", ago(hours=1))
    other = past_visit(line.queue, ago(days=1), agent=wu, name="Di")
    says(other, "My parcel", other.joined_at)
    assert found(li, search="ann") == ["Ann"]
    assert found(li, search="invoice 100%") == ["Bo"]
    assert found(li, search="parcel") == ["Cy"]  # neither another agent's nor later messages
    assert found(li, search="_") == found(li, search="nowhere") == []


def test_outcome_and_rating_filter_it(line: LineWorld) -> None:
    li = line.agent("li")
    solved = OutcomeCode.objects.create(desk=line.desk, name="Solved")
    good = past_visit(line.queue, ago(days=1), agent=li, name="good", stars=5)
    past_visit(line.queue, ago(days=2), agent=li, name="bad", stars=2)
    past_visit(line.queue, ago(days=3), agent=li, name="silent")
    Visit.objects.filter(pk=good.pk).update(outcome_code=solved)
    assert found(li, outcome=solved.pk) == ["good"]
    assert found(li, outcome=0) == ["bad", "silent"]
    assert found(li, stars=2) == ["bad"]
    assert found(li, stars=4, outcome=solved.pk) == []


def test_the_figures_are_of_the_chosen_time_and_own_rooms(line: LineWorld) -> None:
    li, wu = line.agent("li"), line.agent("wu")
    past_visit(line.queue, ago(days=1), agent=li, room=100, stars=5)
    past_visit(line.queue, ago(days=2), agent=li, room=200, stars=2)
    past_visit(line.queue, ago(days=20), agent=li, room=900, stars=1)
    past_visit(line.queue, ago(days=1), agent=wu, room=900, stars=1)
    handed = past_visit(line.queue, ago(days=1), agent=wu, room=60, stars=1)
    Room.objects.create(
        visit=handed, queue=line.queue, agent=li, began_at=ago(days=1), ended_at=ago(hours=23.95)
    )
    seven = own_history.figures(li, 7)
    assert (seven["served"], round(seven["mean_seconds"])) == (3, 160)
    assert (seven["ratings"], seven["stars"]) == (2, 3.5)  # the transferred one is Wu's
    assert own_history.figures(li, 30)["served"] == 4
    assert own_history.figures(line.agent("new"), 7)["stars"] is None


def test_pages_go_on_where_the_last_one_ended(
    line: LineWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_history, "ROWS", 2)
    li = line.agent("li")
    same = ago(days=1)
    for name in ("one", "two", "three", "four", "five"):
        past_visit(line.queue, same, agent=li, name=name)
    client, url, seen = browser(li), "/agent/history/", []
    while url:
        page = client.get(url)
        seen += [row.visit.name for row in page.context["rows"]]
        url = page.context["next_url"] and "/agent/history/" + page.context["next_url"]
    assert seen == ["five", "four", "three", "two", "one"]
    for wrong in ("x", "2026-01-01~5", "2026-01-01T00:00:00+00:00~x", "~", "9" * 64):
        assert client.get("/agent/history/", {"before": wrong}).context["rows"]
    page = client.get(
        "/agent/history/", {"days": "1", "stars": "9", "outcome": "x", "q": "a" * 999}
    )
    assert page.status_code == 200


def test_one_is_read_again_until_the_own_room_ended_and_no_further(line: LineWorld) -> None:
    li, wu = line.agent("li"), line.agent("wu")
    begin = ago(days=1)
    visit = past_visit(line.queue, begin, agent=wu, room=600, name="Ann")
    Room.objects.create(
        visit=visit,
        queue=line.queue,
        agent=li,
        began_at=begin,
        ended_at=begin + timedelta(seconds=10),
    )
    says(visit, "To Li <b>", begin + timedelta(seconds=5))
    says(visit, "Note of Li", begin + timedelta(seconds=50), "note", li)
    says(visit, "To Wu alone", begin + timedelta(seconds=60))
    says(visit, "Note of Wu", begin + timedelta(seconds=70), "note", wu)
    url = f"/agent/history/{visit.public_id}/"
    mine = browser(li).get(url).content.decode()
    assert "To Li &lt;b&gt;" in mine
    assert "Note of Li" in mine
    assert "To Wu alone" not in mine
    assert "Note of Wu" not in mine
    assert "To Wu alone" in browser(wu).get(url).content.decode()
    assert browser(line.agent("new")).get(url).status_code == 404
    assert browser(li).get("/agent/history/nothing-here/").status_code == 404
    Room.objects.filter(agent=li).update(began_at=ago(days=91))
    assert browser(li).get(url).status_code == 404


def test_the_outcome_is_chosen_there_by_the_last_agent_only(line: LineWorld) -> None:
    li, wu = line.agent("li"), line.agent("wu")
    solved = OutcomeCode.objects.create(desk=line.desk, name="Solved")
    begin = ago(days=1)
    visit = past_visit(line.queue, begin, agent=wu, name="Ann")
    Room.objects.create(
        visit=visit, queue=line.queue, agent=li, began_at=begin, ended_at=ago(hours=23)
    )
    url = f"/agent/history/{visit.public_id}/"
    assert "Save outcome" in browser(wu).get(url).content.decode()
    assert "Save outcome" not in browser(li).get(url).content.decode()
    browser(li).post(f"{url}act/", {"outcome": solved.pk})
    assert Visit.objects.get(pk=visit.pk).outcome_code is None
    assert browser(wu).post(f"{url}act/", {"outcome": solved.pk})["Location"] == url
    assert Visit.objects.get(pk=visit.pk).outcome_code == solved
    assert browser(line.agent("new")).post(f"{url}act/", {"outcome": ""}).status_code == 404


def test_the_pages_name_the_period_and_say_how_long_everything_took(line: LineWorld) -> None:
    li = line.agent("li")
    visit = past_visit(line.queue, ago(days=1), wait=70, agent=li, room=600)
    lost = past_visit(line.queue, ago(days=2), wait=5, agent=li, room=30)
    Visit.objects.filter(pk=lost.pk).update(outcome="visitor lost")
    page = browser(li).get("/agent/history/?days=7").content.decode()
    for words in ("Served, last 7 days", "Mean room, last 7 days", "Mean rating, last 7 days"):
        assert words in page
    for words in ("1 min 10 s", "10 min", "Disconnected in the room", "Last 90 days"):
        assert words in page
    one = browser(li).get(f"/agent/history/{visit.public_id}/").content.decode()
    assert "1 min 10 s" in one
    assert "10 min" in one


def test_an_erased_visit_keeps_its_row_and_loses_its_words(line: LineWorld) -> None:
    li = line.agent("li")
    visit = past_visit(line.queue, ago(days=1), agent=li, name="Ann")
    says(visit, "My address is here", visit.joined_at)
    erasing.visitor_erase(actor="test", desk=line.desk, reason="asked", visit=visit.public_id)
    assert found(li, search="address") == found(li, search="Ann") == []
    page = browser(li).get("/agent/history/").content.decode()
    assert "Erased visit" in page
    assert (
        "were erased on" in browser(li).get(f"/agent/history/{visit.public_id}/").content.decode()
    )


def test_who_is_no_agent_is_told_so(line: LineWorld) -> None:
    li = line.agent("li")
    Agent.objects.filter(pk=li.pk).update(archived_at=timezone.now())
    page = browser(li).get("/agent/history/")
    assert "You're not assigned to a desk" in page.content.decode()
