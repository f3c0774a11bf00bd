"""How the operations that set up a desk succeed: as the platform's operator, who has a login."""

import random
from typing import Any

from tests.fuzz.given import Given, name, recipe
from tests.fuzz.recipes_desks import _agent, _join, _room
from tests.fuzz.stage import Caller, Stage

OPERATOR = "session:operator"
DESK = "/desks/{slug}"


def _own(caller: Caller, body: Any = None, **path: Any) -> Given:
    return Given({"slug": f"{caller.slug}-desk", **path}, body or {}, who=OPERATOR)


def _asks(stage: Stage, caller: Caller, method: str, part: str, body: Any = None) -> Any:
    """Make a call below the tenant's desk that must succeed. Return its answer."""
    url = f"/api/v1/desks/{caller.slug}-desk/{part}"
    headers = stage.operator.headers(OPERATOR)
    answer = stage.client.request(method, url, json=body, headers=headers)
    assert answer.is_success, f"{method} {part}: {answer.status_code} {answer.text}"
    return answer.json() if answer.content else None


def _room_in(stage: Stage, caller: Caller, part: str, most: int) -> None:
    """Delete the newest rows of a list that has a limit, so that `most` remain."""
    key = {"skills": "slug", "outcomes": "id", "signing-secrets": "id"}[part]
    rows = _asks(stage, caller, "GET", part)["data"]
    for row in rows[: max(0, len(rows) - most)]:
        _asks(stage, caller, "DELETE", f"{part}/{row[key]}")


@recipe(f"GET {DESK}", f"GET {DESK}/queues", f"GET {DESK}/agents")
@recipe(f"GET {DESK}/closures", f"GET {DESK}/candidates", f"GET {DESK}/skills")
@recipe(f"GET {DESK}/replies", f"GET {DESK}/outcomes", f"GET {DESK}/languages")
@recipe(f"GET {DESK}/signing-secrets", f"GET {DESK}/blocked", f"GET {DESK}/widget")
@recipe(f"GET {DESK}/visits", f"POST {DESK}/outcomes/usual")
def _looks(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    _room_in(stage, caller, "outcomes", 4)
    return _own(caller)


@recipe("POST /desks")
def _create(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given(body={"slug": name("made-desk"), "name": "Made", "account": None}, who=OPERATOR)


@recipe(f"PATCH {DESK}")
def _change(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    """The desk keeps its pool: without it, nobody can be called back."""
    body = {"transcript_days": rnd.randint(100, 400), "callback_pool": f"{caller.slug}-pool"}
    return _own(caller, body)


@recipe(f"PATCH {DESK}/widget")
def _widget(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return _own(caller, {"origins": ["https://shop.example"], "colour": "#155dfc"})


@recipe(f"POST {DESK}/queues")
def _queue_create(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    body = {"slug": name("made-queue"), "name": "Made", "hours": {"0": [["09:00", "18:00"]]}}
    return _own(caller, body | {"zone": "Asia/Tokyo", "overflow": None})


@recipe(f"GET {DESK}/queues/{{queue}}", f"GET {DESK}/queues/{{queue}}/topics")
def _queue(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return _own(caller, queue=f"{caller.slug}-chosen")


def _new_queue(stage: Stage, caller: Caller) -> str:
    slug = name("short-lived-queue")
    _asks(stage, caller, "POST", "queues", {"slug": slug, "name": "Short"})
    return slug


@recipe(f"PATCH {DESK}/queues/{{queue}}")
def _queue_change(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    """The queue is new: other recipes rely on the settings of the existing queues."""
    body = {"welcome": "Hello", "zone": "Asia/Tokyo", "overflow": f"{caller.slug}-chosen"}
    return _own(caller, body, queue=_new_queue(stage, caller))


@recipe(f"PUT {DESK}/queues/{{queue}}/topics")
def _topics(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    topics = [{"text": "Orders", "queue": f"{caller.slug}-chosen", "priority": 5}]
    return _own(caller, {"topics": topics}, queue=_new_queue(stage, caller))


@recipe(f"PUT {DESK}/queues/{{queue}}/closures/{{day}}")
def _closure(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    body = {"hours": [["09:00", "14:00"]], "text": "Short day"}
    return _own(caller, body, queue=_new_queue(stage, caller), day="2031-12-24")


@recipe(f"DELETE {DESK}/queues/{{queue}}/closures/{{day}}")
def _closure_gone(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    given = _closure(stage, caller, rnd)
    part = f"queues/{given.path['queue']}/closures/{given.path['day']}"
    _asks(stage, caller, "PUT", part, given.body)
    return _own(caller, queue=given.path["queue"], day=given.path["day"])


@recipe(f"POST {DESK}/closures")
def _closures(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    body = {"queues": [_new_queue(stage, caller)], "days": [{"day": "2031-12-25", "hours": []}]}
    return _own(caller, body)


@recipe(f"POST {DESK}/agents")
def _agent_add(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    """This succeeds once: after that, the person is an agent."""
    user = caller.told.people["newcomer"]
    return _own(caller, {"user": user, "name": "New", "queues": [_new_queue(stage, caller)]})


@recipe(f"GET {DESK}/agents/{{agent}}")
def _agent_seen(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return _own(caller, agent=caller.told.agents["help"])


@recipe(f"PATCH {DESK}/agents/{{agent}}")
def _agent_change(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    body = {"phone": "+8613900000001", "queues": [f"{caller.slug}-help"]}
    return _own(caller, body, agent=caller.told.agents["spare"])


@recipe(f"POST {DESK}/agents/{{agent}}/archive", f"POST {DESK}/agents/{{agent}}/restore")
def _agent_archive(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    """The agent is the newcomer, who never goes online. Without one, the operation is refused."""
    given = _agent_add(stage, caller, rnd)
    stage.operator.tries(f"desks/{caller.slug}-desk/agents", given.body, who=OPERATOR)
    return _own(caller, agent=caller.told.people["newcomer"])


@recipe(f"POST {DESK}/skills")
def _skill(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    _room_in(stage, caller, "skills", 20)
    return _own(caller, {"slug": name("skill"), "name": "Skill"})


@recipe(f"DELETE {DESK}/skills/{{skill}}")
def _skill_gone(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    given = _skill(stage, caller, rnd)
    _asks(stage, caller, "POST", "skills", given.body)
    return _own(caller, skill=given.body["slug"])


@recipe(f"PUT {DESK}/languages")
def _languages(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    given = _skill(stage, caller, rnd)
    _asks(stage, caller, "POST", "skills", given.body)
    return _own(caller, {"languages": {"en": {"skill": given.body["slug"], "level": 1}}})


@recipe(f"PUT {DESK}/replies/{{shortcut}}")
def _reply(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return _own(caller, {"text": "Hello {visitor}"}, shortcut=f"r-{rnd.randrange(20)}")


@recipe(f"DELETE {DESK}/replies/{{shortcut}}")
def _reply_gone(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    given = _reply(stage, caller, rnd)
    _asks(stage, caller, "PUT", f"replies/{given.path['shortcut']}", given.body)
    return _own(caller, shortcut=given.path["shortcut"])


@recipe(f"POST {DESK}/outcomes")
def _outcome(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    _room_in(stage, caller, "outcomes", 6)
    return _own(caller, {"name": name("outcome"), "tone": "good"})


@recipe(f"DELETE {DESK}/outcomes/{{outcome}}", f"POST {DESK}/outcomes/{{outcome}}/up")
def _outcome_steered(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    made = _asks(stage, caller, "POST", "outcomes", _outcome(stage, caller, rnd).body)
    return _own(caller, outcome=made["id"])


@recipe(f"POST {DESK}/signing-secrets")
def _secret(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    _room_in(stage, caller, "signing-secrets", 1)
    return _own(caller)


@recipe(f"DELETE {DESK}/signing-secrets/{{secret}}")
def _secret_gone(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    _secret(stage, caller, rnd)
    _asks(stage, caller, "POST", "signing-secrets", {})
    (newest, *_) = _asks(stage, caller, "GET", "signing-secrets")["data"]
    return _own(caller, secret=newest["id"])


def _blocking() -> dict[str, Any]:
    return {"address": "203.0.113.7", "visit": None, "until": None, "reason": "Insults"}


@recipe(f"POST {DESK}/blocked")
def _block(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": f"{caller.slug}-desk"}, _blocking())


@recipe(f"DELETE {DESK}/blocked/{{blocked}}")
def _unblock(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    made = caller.post(f"desks/{caller.slug}-desk/blocked", _blocking())
    return Given({"slug": f"{caller.slug}-desk", "blocked": made["id"]})


# -- visits ----------------------------------------------------------------------------------------


def _ran(caller: Caller, visit: str, body: Any = None) -> Given:
    return Given({"slug": f"{caller.slug}-desk", "visit": visit}, body or {})


@recipe(f"GET {DESK}/visits/{{visit}}")
def _visit(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return _ran(caller, _join(caller, "chosen")["visit"])


@recipe(f"POST {DESK}/visits/{{visit}}/move")
def _move(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    body = {"queue": f"{caller.slug}-chosen", "reason": "Wrong queue"}
    return _ran(caller, _join(caller, "chosen")["visit"], body)


@recipe(f"POST {DESK}/visits/{{visit}}/outcome")
def _visit_outcome(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return _ran(caller, _join(caller, "chosen")["visit"], {"outcome": None})


@recipe("GET /agent/history")
def _history(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given(query=_agent(caller, "help")[0])


@recipe("GET /agent/history/{visit}")
def _own_visit(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    """The visit has ended. The drain in `work` has to write it to SQL first."""
    query, joined = _room(caller)
    caller.post("agent/finish", {"visit": joined["visit"]}, **query)
    stage.work()
    return Given({"visit": joined["visit"]}, query=query)
