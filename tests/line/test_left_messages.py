"""Messages that visitors left: listed, handled by one person, exported, never across accounts."""

import csv

import pytest
from django.test import Client

from poolsite.access.models import AuditEntry
from poolsite.access.services import membership_set
from queueing.line.models import LeftMessage
from queueing.line.services.left_messages import message_leave
from queueing.line.views import messages as page
from tests.access.world import World, make_world
from tests.line.line_world import LineWorld, make_line

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
JSON = "application/json"


@pytest.fixture
def world() -> World:
    return make_world()


@pytest.fixture
def line(world: World) -> LineWorld:
    made = make_line()
    roles = ["agent"]
    membership_set(user=world.users["foreign"], account=made.account, roles=roles, actor="test")
    return made


def leave(line: LineWorld, name: str, text: str = "Please write.") -> LeftMessage:
    return message_leave(queue=line.queue, name=name, contact="138", text=text, wants_call=False)


def shown(client: Client, query: str = "") -> list[str]:
    answer = client.get(f"/desks/support/messages/{query}")
    assert answer.status_code == 200
    return [row.name for row in answer.context["rows"]]


def test_an_agent_handles_a_message_and_takes_it_back(world: World, line: LineWorld) -> None:
    client = world.client("foreign")
    assert b"No messages from visitors yet" in client.get("/desks/support/messages/").content
    first, second = leave(line, "Ann"), leave(line, "<b>Bo")
    assert shown(client) == ["<b>Bo", "Ann"]
    path = f"/desks/support/messages/{first.pk}/"
    assert client.post(path, {"verb": "handle"}).status_code == 302
    assert (shown(client), shown(client, "?state=handled")) == (["<b>Bo"], ["Ann"])
    first.refresh_from_db()
    assert first.handled_by == "foreign"
    world.client("operate").post(path, {"verb": "handle"})
    first.refresh_from_db()
    assert first.handled_by == "foreign"  # the first one stays
    client.post(path, {"verb": "reopen"})
    assert shown(client) == ["<b>Bo", "Ann"]
    log = AuditEntry.objects.filter(action__startswith="line.message_").order_by("pk")
    assert [entry.action for entry in log] == ["line.message_handle", "line.message_reopen"]
    assert "Ann" not in "".join(f"{e.thing_label}{e.before}{e.after}" for e in log)
    assert world.client("owner").post(path, {"verb": "handle"}).status_code == 404
    other = leave(make_line("other"), "Cy")
    client.post(f"/desks/support/messages/{other.pk}/", {"verb": "handle"})
    other.refresh_from_db()
    assert other.handled_at is None
    assert LeftMessage.objects.get(pk=second.pk).handled_at is None


def test_a_long_list_is_paged_and_exported(
    world: World, line: LineWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page, "PAGE_ROWS", 2)
    for number in range(5):
        leave(line, f"=N{number}")
    client = world.client("foreign")
    seen: list[str] = []
    query: str | None = ""
    while query is not None:
        answer = client.get(f"/desks/support/messages/{query}")
        seen += [row.name for row in answer.context["rows"]]
        query = answer.context["next_url"] or None
    assert seen == [f"=N{number}" for number in (4, 3, 2, 1, 0)]
    answer = client.get("/desks/support/messages/csv/?state=all")
    rows = list(csv.DictReader(answer.getvalue().decode("utf-8-sig").splitlines()))
    assert [row["name"] for row in rows] == [f"'=N{number}" for number in (4, 3, 2, 1, 0)]
    assert client.get("/desks/support/messages/csv/?queue=nothing").getvalue().count(b"\n") == 1


def test_the_interface_lists_and_handles_them(world: World, line: LineWorld) -> None:
    client = world.client("foreign")
    first, second = leave(line, "Ann"), leave(line, "Bo")
    path = "/api/v1/desks/support/left-messages"
    rows = client.get(path).json()["data"]
    assert [row["id"] for row in rows] == [second.pk, first.pk]
    done = client.post(f"{path}/{first.pk}/handled", {}, JSON).json()
    assert (done["handled_by"], done["handled_at"] is not None) == ("foreign", True)
    open_rows = client.get(f"{path}?handled=false").json()["data"]
    assert [row["name"] for row in open_rows] == ["Bo"]
    first = client.get(f"{path}?limit=1").json()
    older = client.get(f"{path}?limit=1&cursor={first['next']}").json()
    assert (older["data"][0]["name"], older["next"]) == ("Ann", None)
    assert client.get(f"{path}?queue=none").json()["type"] == "unknown-queue"
    assert client.get(f"{path}?q=Nobody&queue=support-help").json()["data"] == []
    assert client.get(f"{path}?before={second.pk}").json()["type"] == "malformed"
    missing = client.post(f"{path}/999/handled", {}, JSON)
    assert missing.json()["type"] == "unknown-message"
    assert world.client("owner").get(path).status_code == 404
