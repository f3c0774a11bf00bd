"""How the operations of a desk succeed: those of its visitors, its agents and its staff."""

import random
from typing import Any

from tests.fuzz.given import COUNT, Given, name, recipe
from tests.fuzz.stage import Caller, Stage
from tests.line.pictures import png

ROOMS = 15  # of the twenty that an agent has
MESSAGES = 40


def _join(caller: Caller, queue: str, **given: Any) -> Any:
    body = {"name": f"{caller.told.mark} visitor", "contact": "+8613700000000", "anyway": True}
    return caller.post(f"queues/{caller.slug}-{queue}/join", {**body, **given})


def _agent(caller: Caller, agent: str) -> tuple[dict[str, int], Any]:
    """Return an online agent with free rooms: the query that names the agent, and its state."""
    query = {"agent": caller.told.agents[agent]}
    state = caller.post("agent/login", **query)
    if len(state["slots"]) >= ROOMS:
        for slot in state["slots"]:
            offered = {"visit": slot["visit"], "token": state["offer_token"]}
            if slot["kind"] == "offer":
                caller.tries("agent/decline", offered, **query)
            else:
                caller.tries("agent/finish", {"visit": slot["visit"]}, **query)
        caller.tries("agent/ready", **query)
    return query, state


def _room(caller: Caller) -> tuple[dict[str, int], Any]:
    """Put a visitor into a room. Return the query that names the agent, and the visit."""
    query, _ = _agent(caller, "help")
    joined = _join(caller, "help")
    assert joined["answer"] == "room", joined
    return query, joined


def _by_visitor(rnd: random.Random, joined: Any) -> Given:
    return Given({"visit": joined["visit"]}, who=rnd.choice(["all", joined["token"]]))


@recipe("GET /queues/{slug}")
def _queue(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": f"{caller.slug}-chosen"}, who=rnd.choice(["all", "nobody"]))


@recipe("POST /queues/{slug}/join")
def _joining(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    _agent(caller, "chosen")
    path = {"slug": f"{caller.slug}-chosen"}
    return Given(path, {"name": "Zoe"}, who=rnd.choice(["all", "nobody"]))


@recipe("POST /queues/{slug}/left-messages")
def _leaving(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    body = {"name": "Zoe", "contact": "+8613700000001", "text": "Hello"}
    return Given({"slug": f"{caller.slug}-chosen"}, body, who=rnd.choice(["all", "nobody"]))


@recipe(
    "GET /visits/{visit}",
    "POST /visits/{visit}/beat",
    "POST /visits/{visit}/leave",
    "GET /visits/{visit}/messages",
    "GET /visits/{visit}/attachments",
    "GET /visits/{visit}/transcript",
)
def _visit(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return _by_visitor(rnd, _join(caller, "chosen"))


@recipe("POST /visits/{visit}/typing")
def _visit_typing(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return _by_visitor(rnd, _room(caller)[1])


@recipe("POST /visits/{visit}/messages")
def _visit_message(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    given = _by_visitor(rnd, _room(caller)[1])
    given.body = {"id": name("said"), "text": "Hello"}
    return given


@recipe("POST /visits/{visit}/attachments")
def _visit_file(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    given = _by_visitor(rnd, _room(caller)[1])
    given.body = {"id": name("sent"), "text": "Hello", "file": png()}
    return given


@recipe("POST /visits/{visit}/read")
def _visit_read(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    given = _by_visitor(rnd, _room(caller)[1])
    given.body = {"number": rnd.randint(1, 9)}
    return given


@recipe("POST /visits/{visit}/rating")
def _rating(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    given = _by_visitor(rnd, _room(caller)[1])
    given.body = {"stars": 5}
    return given


@recipe(
    "GET /visits/{visit}/rating",
    "GET /visits/{visit}/tell",
    "POST /visits/{visit}/code",
)
def _choices(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return _by_visitor(rnd, _join(caller, "chosen"))


@recipe("POST /visits/{visit}/language")
def _language(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    given = _by_visitor(rnd, _join(caller, "chosen"))
    given.body = {"language": rnd.choice(["en", "zh-hans"])}
    return given


@recipe("POST /visits/{visit}/tell")
def _tell(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    given = _by_visitor(rnd, _join(caller, "chosen"))
    given.body = {"when": "next", "email": f"{name('told')}@example.org"}
    return given


@recipe("POST /visits/{visit}/transcript-mail")
def _transcript_mail(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    given = _by_visitor(rnd, _room(caller)[1])
    given.body = {"email": f"{name('sent')}@example.org", "zone": "Asia/Shanghai"}
    return given


@recipe("POST /queues/{slug}/resume")
def _resume(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    made = caller.post(f"visits/{_join(caller, 'chosen')['visit']}/code", {})
    return Given({"slug": f"{caller.slug}-chosen"}, {"code": made["code"]}, who="nobody")


@recipe("GET /agent/rooms", "GET /agent/colleagues", "POST /agent/login", "POST /agent/beat")
@recipe("POST /agent/ready")
def _of_agent(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given(query=_agent(caller, "help")[0])


@recipe("POST /agent/pause", "POST /agent/logout")
def _agent_goes(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given(body={"reason": "Lunch"}, query=_agent(caller, "spare")[0])


@recipe("GET /agent/why/{visit}")
def _why(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"visit": _join(caller, "chosen")["visit"]}, query=_agent(caller, "chosen")[0])


@recipe("POST /agent/take")
def _take(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    query, _ = _agent(caller, "chosen")
    return Given(body={"visit": _join(caller, "chosen")["visit"]}, query=query)


@recipe("POST /agent/accept", "POST /agent/decline")
def _offer(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    query, _ = _agent(caller, "offers")
    _join(caller, "offers")
    state = caller.post("agent/beat", **query)
    offered = next(slot for slot in state["slots"] if slot["kind"] == "offer")
    return Given(body={"visit": offered["visit"], "token": state["offer_token"]}, query=query)


@recipe("POST /agent/finish", "POST /agent/typing", "POST /agent/call-end")
def _in_room(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    query, joined = _room(caller)
    return Given(body={"visit": joined["visit"]}, query=query)


@recipe("POST /agent/read")
def _read(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    given = _in_room(stage, caller, rnd)
    given.body["number"] = rnd.randint(1, 9)
    return given


@recipe("POST /agent/call-back")
def _call_back(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    given = _in_room(stage, caller, rnd)
    given.body["number"] = "+8613700000002"
    return given


@recipe("POST /agent/messages", "POST /agent/notes")
def _agent_message(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    given = _in_room(stage, caller, rnd)
    given.body |= {"id": name("said"), "text": "Hello"}
    return given


@recipe("POST /agent/attachments")
def _agent_file(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    given = _in_room(stage, caller, rnd)
    given.body |= {"id": name("sent"), "text": "Hello", "file": png()}
    return given


@recipe("POST /agent/transfer")
def _transfer(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    _agent(caller, "chosen")
    given = _in_room(stage, caller, rnd)
    given.body |= {"queue": f"{caller.slug}-chosen", "agent": None}
    return given


@recipe("GET /desks/{slug}/report", "GET /desks/{slug}/board", "GET /desks/{slug}/left-messages")
@recipe("GET /desks/{slug}/forecast")
def _desk(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": f"{caller.slug}-desk"})


def _left(caller: Caller, stage: Stage) -> tuple[int, str]:
    """Return a message that is not handled yet: its ID and its contact.

    A queue accepts 500 messages per hour, so after a number of them, old ones are opened again.
    """
    known = [row for row in _messages_left(caller) if row["contact"].startswith("+86137")]
    if len(known) > MESSAGES:
        row = known[next(COUNT) % len(known)]
        caller.post(f"desks/{caller.slug}-desk/left-messages/{row['id']}/reopened")
        return row["id"], row["contact"]
    contact = f"+86137{next(COUNT):08d}"
    path = f"{stage.url}/api/v1/queues/{caller.slug}-chosen/left-messages"
    body = {"name": f"{caller.told.mark} caller", "contact": contact, "wants_call": True}
    answer = stage.session().post(path, json=body, headers=caller.headers("nobody"))
    assert answer.status_code == 201, answer.text
    (found,) = (row["id"] for row in _messages_left(caller) if row["contact"] == contact)
    return found, contact


def _messages_left(caller: Caller) -> Any:
    return caller.get(f"desks/{caller.slug}-desk/left-messages?limit=100")["data"]


@recipe("POST /desks/{slug}/erasures")
def _erase(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    _, contact = _left(caller, stage)
    return Given({"slug": f"{caller.slug}-desk"}, {"contact": contact, "reason": "Asked for"})


LEFT = "POST /desks/{slug}/left-messages/{message}"


@recipe(f"{LEFT}/handled", f"{LEFT}/reopened")
def _left_answer(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": f"{caller.slug}-desk", "message": _left(caller, stage)[0]})


@recipe(f"{LEFT}/call", f"{LEFT}/call-end")
def _left_call(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    """The agent is not in another call."""
    given = _left_answer(stage, caller, rnd)
    given.query = {"agent": caller.told.agents["spare"]}
    for row in _messages_left(caller):
        if row["call"] is not None:
            path = f"desks/{caller.slug}-desk/left-messages/{row['id']}/call-end"
            caller.tries(path, agent=row["call"]["agent"])
    return given
