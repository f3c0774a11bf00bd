"""How each operation of the document succeeds: the real ids and the body that it needs.

A recipe makes what it needs through the interface itself, as the tenant that it is asked for, so
operations that end or use up something find something each time. Its operation is named as the
document does, less the prefix.
"""

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.fuzz.stage import Caller, Stage

COUNT = itertools.count(1)
ROOMS = 15  # of the twenty that an agent has


@dataclass
class Given:
    """What a call needs. `who`: a token's name, a token, or `session:<user>` of the platform."""

    path: dict[str, Any] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=dict)
    query: dict[str, Any] = field(default_factory=dict)
    who: str = "all"


Recipe = Callable[[Stage, Caller, random.Random], Given]
RECIPES: dict[str, Recipe] = {}


def recipe(*operations: str) -> Callable[[Recipe], Recipe]:
    """Register how these operations, `POST /pools/{slug}/events`, succeed."""

    def keep(made: Recipe) -> Recipe:
        RECIPES.update(dict.fromkeys(operations, made))
        return made

    return keep


def name(kind: str) -> str:
    """A name that was never used."""
    return f"{kind}-{next(COUNT)}"


def moment(**ago: float) -> str:
    return (datetime.now(UTC) - timedelta(**ago)).isoformat()


@recipe("GET /pools", "GET /gates", "GET /groups")
def _lists(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given()


# -- pools -------------------------------------------------------------------------------------


@recipe(
    "GET /pools/{slug}",
    "GET /pools/{slug}/health",
    "GET /pools/{slug}/health/numbers",
    "GET /pools/{slug}/health/rules",
    "GET /pools/{slug}/switches",
)
def _pool(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": f"{caller.slug}-pool"})


@recipe("GET /pools/{slug}/numbers/{number}")
def _number(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": f"{caller.slug}-pool", "number": rnd.choice(caller.told.numbers)})


@recipe("POST /pools/{slug}/events")
def _event(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    path = {"slug": f"{caller.slug}-pool"}
    call = name("call")
    event = rnd.choice(["reg", "call", "renew", "hangup"])
    body: dict[str, Any] = {"event": event, "call_id": call}
    if event == "reg":
        body = {"event": "reg", "number": rnd.choice(caller.told.numbers)}
    elif event != "call":
        caller.post(f"pools/{caller.slug}-pool/events", {"event": "call", "call_id": call})
    return Given(path, body)


@recipe("POST /pools/{slug}/live")
def _live(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    call = name("call")
    switch = {"switch": "fs-02", "incarnation": name("boot")}
    event = {"event": "call", "call_id": call, **switch}
    caller.post(f"pools/{caller.slug}-pool/events", event)
    body = {**switch, "calls": [{"call_id": call}]}
    return Given({"slug": f"{caller.slug}-pool"}, body)


@recipe("POST /pools/{slug}/spam-labels")
def _label(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    number = rnd.choice(caller.told.numbers)
    label = {"number": number, "source": "Hiya", "label": "Spam", "seen_at": moment(hours=1)}
    return Given({"slug": f"{caller.slug}-pool"}, {"labels": [label]})


@recipe("POST /pools/{slug}/switches")
def _switch(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": f"{caller.slug}-pool"}, {"name": name("fs")}, who="session:operator")


@recipe("PATCH /pools/{slug}/switches/{name}")
def _switch_change(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    path = {"slug": f"{caller.slug}-pool", "name": "fs-01"}
    return Given(path, {"kind": "media"}, who="session:operator")


@recipe("GET /numbers/who-had")
def _who_had(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given(query={"at": moment(minutes=1), "number": rnd.choice(caller.told.numbers)})


# -- money -------------------------------------------------------------------------------------


def _message() -> dict[str, Any]:
    return {"message_id": name("m"), "chatbot": "shop", "text": "Hello"}


def _held(caller: Caller, *, sent: bool = False) -> str:
    body = _message()
    caller.post(f"accounts/{caller.slug}/holds", {**body, "sent": sent})
    return str(body["message_id"])


@recipe("GET /accounts/{slug}/balance")
def _balance(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": caller.slug})


@recipe("POST /accounts/{slug}/holds")
def _hold(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": caller.slug}, _message())


@recipe("POST /accounts/{slug}/sessions")
def _session(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": caller.slug}, _message())


@recipe("POST /accounts/{slug}/sent", "POST /accounts/{slug}/cancellations")
def _mark(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": caller.slug}, {"message_id": _held(caller)})


@recipe("POST /accounts/{slug}/settlements")
def _settle(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    body = {
        "message_id": _held(caller, sent=True),
        "final": True,
        "delivered": True,
        "mode": "native_text",
    }
    return Given({"slug": caller.slug}, body, who="gateway")


@recipe("GET /accounts/{slug}/messages/{message_id}")
def _one_message(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": caller.slug, "message_id": _held(caller)})


# -- a desk: visitors ----------------------------------------------------------------------------


def _join(caller: Caller, queue: str, **given: Any) -> Any:
    body = {"name": f"{caller.told.mark} visitor", "contact": "+8613700000000", "anyway": True}
    return caller.post(f"queues/{caller.slug}-{queue}/join", {**body, **given})


def _agent(caller: Caller, agent: str) -> tuple[dict[str, int], Any]:
    """An agent who is online and has rooms left: the query that names it, and its state."""
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
    """A visitor in a room: the query that names the agent, and the visit."""
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


@recipe("POST /visits/{visit}/rating")
def _rating(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    given = _by_visitor(rnd, _room(caller)[1])
    given.body = {"stars": 5}
    return given


# -- a desk: agents ------------------------------------------------------------------------------


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


@recipe("POST /agent/transfer")
def _transfer(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    _agent(caller, "chosen")
    given = _in_room(stage, caller, rnd)
    given.body |= {"queue": f"{caller.slug}-chosen", "agent": None}
    return given


# -- a desk: staff -------------------------------------------------------------------------------


@recipe("GET /desks/{slug}/report", "GET /desks/{slug}/board", "GET /desks/{slug}/left-messages")
def _desk(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": f"{caller.slug}-desk"})


def _left(caller: Caller, stage: Stage) -> tuple[int, str]:
    """A message that nobody has answered: its id and its contact."""
    contact = f"+86137{next(COUNT):08d}"
    path = f"{stage.url}/api/v1/queues/{caller.slug}-chosen/left-messages"
    body = {"name": f"{caller.told.mark} caller", "contact": contact, "wants_call": True}
    answer = stage.session().post(path, json=body, headers=caller.headers("nobody"))
    assert answer.status_code == 201, answer.text
    (found,) = (row["id"] for row in _messages_left(caller) if row["contact"] == contact)
    return found, contact


def _messages_left(caller: Caller) -> Any:
    return caller.get(f"desks/{caller.slug}-desk/left-messages")["messages"]


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
    """By an agent who is in no other call."""
    given = _left_answer(stage, caller, rnd)
    given.query = {"agent": caller.told.agents["spare"]}
    for row in _messages_left(caller):
        if row["call"] is not None:
            path = f"desks/{caller.slug}-desk/left-messages/{row['id']}/call-end"
            caller.tries(path, agent=row["call"]["agent"])
    return given


# -- gates ---------------------------------------------------------------------------------------


@recipe(
    "GET /gates/{slug}",
    "GET /gates/{slug}/holders",
    "GET /gates/{slug}/batches",
    "POST /gates/{slug}/incr",
    "POST /gates/{slug}/decr",
)
def _gate(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": f"{caller.slug}-gate"})


@recipe("POST /gates/{slug}/observe")
def _observe(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": f"{caller.slug}-gate"}, {"count": 3})


@recipe("POST /gates/{slug}/acquire")
def _acquire(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": f"{caller.slug}-gate"}, {"holder": f"holder-{rnd.randrange(50)}"})


@recipe("POST /gates/{slug}/release", "POST /gates/{slug}/renew")
def _permit(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    given = _acquire(stage, caller, rnd)
    told = caller.post(f"gates/{caller.slug}-gate/acquire", given.body)
    given.body["token"] = told["token"]
    return given


@recipe("POST /devices/{device}/report")
def _device(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"device": f"d{rnd.randrange(50)}"}, query={"gate": f"{caller.slug}-gate"})


@recipe("POST /gates/{slug}/key/{do}")
def _key(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    """There is always a key that signs; `use` needs one that waits, too."""
    do = rnd.choice(["new", "use", "remove"])
    for _ in range(2 if do == "use" else 1):
        stage.operator.tries(f"gates/{caller.slug}-gate/key/new", who="session:operator")
    path = {"slug": f"{caller.slug}-gate", "do": do}
    return Given(path, query={"reason": "Planned"}, who="session:operator")


def _new_batch() -> dict[str, Any]:
    times = {"opens_at": moment(hours=-1), "closes_at": moment(hours=-2)}
    return {"name": name("batch"), "csv": "d1,run\nd2,run", **times}


def _batch_of(caller: Caller) -> int:
    return int(caller.post(f"gates/{caller.slug}-gate/batches", _new_batch())["id"])


@recipe("POST /gates/{slug}/batches")
def _make_batch(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": f"{caller.slug}-gate"}, _new_batch())


@recipe("GET /gates/{slug}/batches/{batch}")
def _batch(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": f"{caller.slug}-gate", "batch": _batch_of(caller)})


@recipe("POST /gates/{slug}/batches/{batch}/{what}")
def _steer(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    given = _batch(stage, caller, rnd)
    given.path["what"] = rnd.choice(["pause", "resume", "cancel"])
    given.query = {"reason": "Planned"}
    if given.path["what"] == "resume":
        caller.post(f"gates/{caller.slug}-gate/batches/{given.path['batch']}/pause", reason="Wait")
    return given


# -- groups --------------------------------------------------------------------------------------


def _group_path(caller: Caller, **more: Any) -> dict[str, Any]:
    return {"slug": f"{caller.slug}-group", **more}


@recipe("POST /groups")
def _make_group(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given(body={"slug": name("made-group")}, who="session:operator")


@recipe(
    "GET /groups/{slug}",
    "GET /groups/{slug}/instances",
    "GET /groups/{slug}/front-ends",
    "GET /groups/{slug}/events",
    "GET /groups/{slug}/upgrades",
)
def _group(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given(_group_path(caller))


@recipe("POST /groups/{slug}/instances/{name}/manual")
def _manual(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given(_group_path(caller, name=rnd.choice(["as-1", "as-2"])), {"state": "open"})


@recipe("POST /groups/{slug}/front-ends/{peer_id}/count")
def _count(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given(_group_path(caller, peer_id=caller.peers["front"].id), {"started": 3, "lost": 0})


def _started(stage: Stage, caller: Caller) -> str:
    _open(caller)
    with stage.hotpath():
        return caller.peers["front"].start(name("s"))


def _open(caller: Caller) -> None:
    _abort(caller)
    for each in ("as-1", "as-2"):
        caller.post(f"groups/{caller.slug}-group/instances/{each}/manual", {"state": "open"})


@recipe("GET /groups/{slug}/sessions")
def _session_explained(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given(_group_path(caller), query={"session": _started(stage, caller)})


@recipe("POST /groups/{slug}/sessions/end")
def _session_end(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    session = _started(stage, caller)
    return Given(_group_path(caller), {"reason": "Stuck"}, query={"session": session})


def _abort(caller: Caller) -> None:
    for row in caller.get(f"groups/{caller.slug}-group/upgrades"):
        if row["status"] == "running":
            path = f"groups/{caller.slug}-group/upgrades/{row['id']}/abort"
            caller.tries(path, {"reason": "Over"})


def _running(caller: Caller) -> int:
    _open(caller)
    made = caller.post(f"groups/{caller.slug}-group/upgrades", {"target_version": "2.0"})
    return int(made["id"])


@recipe("POST /groups/{slug}/upgrades")
def _upgrade_start(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    _open(caller)
    return Given(_group_path(caller), {"target_version": "2.0"})


@recipe("GET /groups/{slug}/upgrades/{upgrade}", "POST /groups/{slug}/upgrades/{upgrade}/abort")
def _upgrade(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given(_group_path(caller, upgrade=_running(caller)), {"reason": "Over"})


@recipe("POST /groups/{slug}/upgrades/{upgrade}/force")
def _force(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    """An upgrade that drains: its first step waits for a tick of the worker."""
    for row in caller.get(f"groups/{caller.slug}-group/upgrades"):
        steps = {step["status"] for step in row["steps"]}
        if row["status"] == "running" and "draining" in steps:
            return Given(_group_path(caller, upgrade=row["id"]), {"reason": "Late"})
    upgrade = _running(caller)
    stage.work()
    return Given(_group_path(caller, upgrade=upgrade), {"reason": "Late"})
