"""Left messages over HTTP: listed, answered, and called back by an agent or an ACD."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from poolsite.access.models import User
from poolsite.access.services import token_create
from poolsite.runtime.redis_server import RedisServer
from queueing.line.models import Agent, LeftMessage, MessageCall
from queueing.line.services.left_messages import message_leave
from tests.access.world import World, make_world
from tests.line.line_world import make_line
from tests.line.test_message_calls import CALLEE, MessageWorld
from tests.line.test_openapi import assert_told

JSON = "application/json"
LIST = "desks/{slug}/left-messages"
BACKEND = "poolsite.access.backends.NameOrEmailBackend"


@pytest.fixture
def world(clean_redis: RedisServer, transactional_db: None) -> MessageWorld:
    cache.clear()
    return MessageWorld()


@pytest.fixture
def document() -> dict[str, Any]:
    found: dict[str, Any] = Client().get("/api/v1/openapi.json").json()
    return found


class Desk:
    """A user of the desk `support`: by a session, with its CSRF token, or by a token."""

    def __init__(self, user: User | None = None, secret: str = "", agent: str = "") -> None:
        self.client = Client(enforce_csrf_checks=True)
        self.headers = {"Authorization": f"Bearer {secret}"} if secret else {}
        self.query = f"?agent={agent}" if agent else ""
        if user is not None:
            self.client.force_login(user, backend=BACKEND)
            assert self.client.get("/profile/").status_code == 200
            self.headers = {"X-CSRFToken": self.client.cookies["csrf"].value}

    def list(self, query: str = "") -> Any:
        path = f"/api/v1/desks/support/left-messages{query}"
        return self.client.get(path, headers=self.headers)

    def post(self, message: LeftMessage, verb: str, desk: str = "support") -> Any:
        path = f"/api/v1/desks/{desk}/left-messages/{message.pk}/{verb}{self.query}"
        return self.client.post(path, {}, JSON, headers=self.headers)


def of(agent: Agent) -> Desk:
    return Desk(User.objects.get(pk=agent.user_id))


def acd(world: MessageWorld, actions: Sequence[str], agent: Agent | None = None) -> Desk:
    _, secret = token_create(
        name="acd",
        account=world.line.account,
        resources=["desk:support"],
        actions=actions,
        expires_at=timezone.now() + timedelta(days=1),
        actor="test",
    )
    return Desk(secret=secret, agent=str(agent.user_id) if agent is not None else "")


def refused(answer: Any) -> tuple[int, str]:
    assert answer["Content-Type"] == "application/problem+json"
    return answer.status_code, answer.json()["type"]


def test_an_agent_calls_once_however_often_it_is_asked_and_ends(
    world: MessageWorld, document: dict[str, Any]
) -> None:
    li, bo = of(world.li), of(world.bo)
    begun = li.post(world.message, "call")
    told = assert_told(document, LIST + "/{message}/call", "post", begun)["call"]
    again = li.post(world.message, "call")
    assert (again.status_code, again.json()["call"]) == (200, told)
    assert (told["state"], told["callee"], told["name"]) == ("running", "+8613900001111", "Li")
    assert (told["agent"], told["number"]) == (world.li.user_id, MessageCall.objects.get().number)
    assert world.busy() == 1
    listed = assert_told(document, LIST, "get", bo.list())
    assert [row["call"] for row in listed["data"]] == [told]
    for verb in ("call", "call-end"):
        answer = bo.post(world.message, verb)
        assert refused(answer) == (409, "not-yours")
        assert_told(document, LIST + "/{message}/" + verb, "post", answer)
    assert world.busy() == 1
    for _ in range(2):
        ended = li.post(world.message, "call-end")
        assert assert_told(document, LIST + "/{message}/call-end", "post", ended)["call"] is None
    assert (world.busy(), MessageCall.objects.count()) == (0, 0)


def test_a_message_that_was_answered_is_not_called_before_it_is_reopened(
    world: MessageWorld, document: dict[str, Any]
) -> None:
    li = of(world.li)
    li.post(world.message, "call")
    done = li.post(world.message, "handled").json()
    assert (done["handled_by"], done["call"]) == ("li", None)
    assert (world.busy(), MessageCall.objects.count()) == (0, 0)
    assert refused(li.post(world.message, "call")) == (409, "message-handled")
    assert MessageCall.objects.count() == 0
    for _ in range(2):
        opened = li.post(world.message, "reopened")
        told = assert_told(document, LIST + "/{message}/reopened", "post", opened)
        assert (told["handled_by"], told["handled_at"]) == ("", None)
    assert li.post(world.message, "call").json()["call"]["state"] == "running"


def test_what_cannot_be_called_is_a_problem_and_claims_nothing(world: MessageWorld) -> None:
    li = of(world.li)
    assert refused(li.post(world.left("Mail", "zoe@example.org"), "call")) == (422, "malformed")
    other = message_leave(
        queue=make_line("other").queue, name="Cy", contact=CALLEE, text="", wants_call=True
    )
    for verb in ("call", "call-end", "handled", "reopened"):
        assert refused(li.post(other, verb)) == (404, "unknown-message")
    assert refused(li.post(world.message, "call", desk="nothing")) == (404, "unknown-desk")
    body = {"number": "110"}
    path = f"/api/v1/desks/support/left-messages/{world.message.pk}/call"
    assert refused(li.client.post(path, body, JSON, headers=li.headers)) == (422, "malformed")
    assert refused(li.client.post(path, {}, JSON)) == (401, "unauthenticated")  # no CSRF token
    world.line.desk.callback_pool = ""
    world.line.desk.save()
    assert refused(li.post(world.message, "call")) == (409, "no-call-back")
    assert (world.busy(), MessageCall.objects.count()) == (0, 0)


def test_an_acd_lists_and_calls_for_the_agent_whom_it_names(world: MessageWorld) -> None:
    both = ["line.messages", "line.answer"]
    named = acd(world, both, world.li)
    message = named.list("?handled=false").json()["data"][0]
    assert (message["id"], message["call"]) == (world.message.pk, None)
    assert refused(acd(world, both).post(world.message, "call")) == (404, "unknown-agent")
    foreign = make_line("other").agent("wu")
    wrong = acd(world, both, foreign)
    assert refused(wrong.post(world.message, "call")) == (404, "unknown-agent")
    told = named.post(world.message, "call").json()["call"]
    assert (told["agent"], told["state"]) == (world.li.user_id, "running")
    assert refused(acd(world, both, world.bo).post(world.message, "call-end")) == (409, "not-yours")
    looks_only = acd(world, ["line.messages"], world.li)
    assert looks_only.list().status_code == 200
    assert refused(looks_only.post(world.message, "call-end")) == (403, "forbidden")
    assert refused(acd(world, ["line.answer"]).list()) == (403, "forbidden")
    assert world.busy() == 1
    assert named.post(world.message, "call-end").json()["call"] is None
    assert world.busy() == 0


def test_only_agents_of_the_desk_call_and_a_foreign_desk_looks_missing(world: MessageWorld) -> None:
    people: World = make_world()
    foreign, looker = (Desk(people.users[name]) for name in ("owner", "looker"))
    supervisor = Desk(people.users["supervise"], agent=str(world.li.user_id))
    for verb in ("call", "call-end"):
        assert refused(Desk().post(world.message, verb)) == (401, "unauthenticated")
        assert refused(foreign.post(world.message, verb)) == (404, "unknown-desk")
        assert refused(looker.post(world.message, verb)) == (403, "forbidden")
        # A user cannot call in another person's name: only a token's `agent` counts.
        assert refused(supervisor.post(world.message, verb)) == (404, "unknown-agent")
    assert refused(foreign.list()) == (404, "unknown-desk")
    assert looker.list().status_code == 200
    assert (world.busy(), MessageCall.objects.count()) == (0, 0)
    world.li.archived_at = timezone.now()
    world.li.save()
    assert refused(of(world.li).post(world.message, "call")) == (404, "unknown-agent")


def test_the_admin_shows_what_runs_and_changes_nothing(world: MessageWorld) -> None:
    people: World = make_world()
    call = world.call()
    looker, operate = (Desk(people.users[name]).client for name in ("looker", "operate"))
    path = "/admin/line/messagecall/"
    for query in ({}, {"q": call.callee[:6]}, {"q": call.operation}, {"ending__exact": "0"}):
        shown = looker.get(path, query).content.decode()
        assert all(text in shown for text in (call.callee, call.number, "Zoe", "Li")), query
    assert call.callee not in looker.get(f"{path}?q=999").content.decode()
    row = f"{path}{call.pk}/"
    assert call.operation in looker.get(f"{row}change/").content.decode()
    for client in (looker, operate):
        csrf = {"X-CSRFToken": client.cookies["csrf"].value}
        for verb in ("change", "delete"):
            assert client.post(f"{row}{verb}/", {"post": "yes"}, headers=csrf).status_code == 403
        assert client.get(f"{path}add/").status_code == 403
    world.message.delete()  # erased: the call exists until the sweep ends it
    assert call.callee in looker.get(path).content.decode()
    assert world.busy() == 1
