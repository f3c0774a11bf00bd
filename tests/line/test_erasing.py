"""A visitor's texts are erased: after the desk's time, on request, by page, API and command."""

import io
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from poolsite.access.models import AuditEntry
from poolsite.access.services import membership_set
from queueing.line.errors import LineError
from queueing.line.models import LeftMessage, Message, Visit
from queueing.line.selectors.consoles import transcript
from queueing.line.services import erasing, rooms, visits
from queueing.line.services.left_messages import message_leave
from tests.access.world import World, make_world
from tests.line.line_world import LineWorld, make_line
from tests.line.past import past_visit

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
MAIL = "ann@example.org"
JSON = "application/json"


@pytest.fixture
def line() -> LineWorld:
    return make_line()


def talked(line: LineWorld, *, days: float = 0, contact: str = MAIL) -> Visit:
    """Write a visit that ended `days` days ago, with messages, a note, a rating, a name."""
    at = timezone.now() - timedelta(days=days, minutes=5)
    agent = line.desk.agents.first() or line.agent("li")
    visit = past_visit(line.queue, at, agent=agent, stars=3, name="Ann", contact=contact)
    for author, text in (("visitor", "My secret"), ("agent", "Yes"), ("note", "Unhappy")):
        Message.objects.create(
            visit=visit,
            number=visit.messages.count() + 1,
            author=author,
            client_id=author,
            text=text,
            at=at,
        )
    Visit.objects.filter(pk=visit.pk).update(address="10.0.0.1", topic="Bill", notes="x")
    return Visit.objects.get(pk=visit.pk)


def words_of(visit: Visit) -> list[str]:
    """Return all personal data that a visit has."""
    row = Visit.objects.get(pk=visit.pk)
    said = [*row.messages.values_list("text", flat=True), row.rating.comment]
    return [
        word for word in (*said, row.name, row.contact, row.address, row.topic, row.notes) if word
    ]


def test_what_is_older_than_the_desk_keeps_it_is_erased_and_its_figures_stay(
    line: LineWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasing, "BATCH_VISITS", 2)
    line.desk.transcript_days = 30
    line.desk.save()
    old = [talked(line, days=31 + n) for n in range(5)]
    fresh = talked(line, days=29)
    message_leave(queue=line.queue, name="Ann", contact=MAIL, text="Call", wants_call=False)
    LeftMessage.objects.update(at=timezone.now() - timedelta(days=31))
    message_leave(queue=line.queue, name="Bo", contact="138", text="Call", wants_call=False)
    done = erasing.erase_expired()
    assert done == {"visits": 5, "messages": 15, "left_messages": 1}
    assert [words_of(visit) for visit in old] == [[]] * 5
    assert len(words_of(fresh)) == 9
    row = Visit.objects.get(pk=old[0].pk)
    assert (row.outcome, row.agent, row.rating.stars) == ("served", fresh.agent, 3)
    assert "secret" not in transcript(row)
    assert list(LeftMessage.objects.values_list("name", flat=True)) == ["Bo"]
    assert erasing.erase_expired() == {"visits": 0, "messages": 0, "left_messages": 0}


def test_a_wish_erases_every_visit_and_message_of_a_contact_and_names_nobody(
    line: LineWorld,
) -> None:
    mine, other = [talked(line), talked(line, days=2)], talked(line, contact="bo@example.org")
    message_leave(queue=line.queue, name="Ann", contact=MAIL, text="Call", wants_call=False)
    done = erasing.visitor_erase(actor="test", desk=line.desk, contact=MAIL.upper(), reason="wish")
    assert (done.visits, done.messages, done.left_messages) == (2, 6, 1)
    assert [words_of(visit) for visit in mine] == [[], []]
    assert len(words_of(other)) == 9
    entry = AuditEntry.objects.get(action="line.visitor_erase")
    assert entry.reason == "wish"
    assert sorted(entry.after["visits"]) == sorted(visit.public_id for visit in mine)
    told = f"{entry.before}{entry.after}{entry.thing_label}".lower()
    assert "ann" not in told
    assert "secret" not in told


def test_a_running_visit_is_refused_and_nothing_is_erased(line: LineWorld) -> None:
    ended = talked(line)
    joined = visits.visit_join(queue=line.queue, name="Ann", contact=MAIL)
    rooms.message_send(visit=joined.visit, author="visitor", client_id="1", text="Hello")
    for given in ({"contact": MAIL}, {"visit": joined.visit.public_id}):
        with pytest.raises(LineError, match="running"):
            erasing.visitor_erase(actor="test", desk=line.desk, reason="wish", **given)
    assert len(words_of(ended)) == 9
    assert joined.visit.messages.exists()


@pytest.mark.parametrize(
    "given",
    [{}, {"visit": "a", "contact": "b"}, {"contact": "nobody@example.org"}, {"visit": "unknown1"}],
)
def test_nonsense_is_refused(line: LineWorld, given: dict[str, str]) -> None:
    with pytest.raises(LineError):
        erasing.visitor_erase(actor="test", desk=line.desk, reason="wish", **given)
    with pytest.raises(LineError, match="reason"):
        erasing.visitor_erase(actor="test", desk=line.desk, reason=" ", contact="b")
    assert not AuditEntry.objects.filter(action="line.visitor_erase").exists()


@pytest.fixture
def world() -> World:
    return make_world()


def owner_of(world: World, line: LineWorld) -> Client:
    """Return a browser of the owner of the desk's account."""
    membership_set(user=world.users["foreign"], account=line.account, roles=["owner"], actor="test")
    return world.client("foreign")


def test_the_page_erases_one_visit_and_a_contact(world: World, line: LineWorld) -> None:
    client = owner_of(world, line)
    first, second = talked(line), talked(line)
    path = "/desks/support/visitors/act/"
    shown = client.get(f"/desks/support/visits/{first.public_id}/").content.decode()
    assert "My secret" in shown
    assert "Unhappy" in shown
    client.post(path, {"verb": "erase", "visit": first.public_id, "reason": "wish"})
    assert (
        "My secret" not in client.get(f"/desks/support/visits/{first.public_id}/").content.decode()
    )
    assert len(words_of(second)) == 9
    answer = client.post(path, {"verb": "erase", "contact": MAIL, "reason": ""}, follow=True)
    assert b"Reason" in answer.content
    assert len(words_of(second)) == 9
    client.post(path, {"verb": "erase", "contact": MAIL, "reason": "wish"})
    assert words_of(second) == []
    entry = AuditEntry.objects.filter(action="line.visitor_erase").first()
    assert entry is not None
    assert entry.actor_name == "foreign"


def test_the_interface_erases_and_refuses_foreigners(world: World, line: LineWorld) -> None:
    visit = talked(line)
    path = "/api/v1/desks/support/erasures"
    body = {"contact": MAIL, "reason": "wish"}
    assert world.client("owner").post(path, body, JSON).status_code == 404
    answer = owner_of(world, line).post(path, body, JSON)
    assert answer.json() == {"visits": 1, "messages": 3, "left_messages": 0}
    assert words_of(visit) == []
    again = world.client("foreign").post(path, {**body, "contact": "x@example.org"}, JSON)
    assert again.json()["type"] == "unknown-visit"


def test_the_command_erases_and_tells_figures_only(line: LineWorld) -> None:
    visit = talked(line)
    out = io.StringIO()
    call_command("line", "erase", "support", contact=MAIL, reason="wish", stdout=out)
    assert "1 visits, 3 messages" in out.getvalue()
    assert MAIL not in out.getvalue()
    assert words_of(visit) == []
    for given in ({"contact": MAIL}, {"contact": "y", "reason": "wish"}):
        with pytest.raises(CommandError):
            call_command("line", "erase", "support", **given)
    with pytest.raises(CommandError, match="Give the desk's slug"):
        call_command("line", "erase", contact=MAIL, reason="wish")
