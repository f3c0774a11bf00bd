"""How the operations around a room succeed: supervising, reasons for not serving, and wrap-up."""

import random

from tests.fuzz.given import Given, name, recipe
from tests.fuzz.recipes_desks import _agent, _by_visitor, _in_room, _join, _room
from tests.fuzz.stage import Caller, Stage


def _desk(caller: Caller, **path: object) -> Given:
    return Given({"slug": f"{caller.slug}-desk", **path})


@recipe("GET /desks/{slug}/floor")
def _floor(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return _desk(caller)


@recipe("GET /desks/{slug}/queues/{queue}/why")
def _line_why(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    _join(caller, "chosen")
    return _desk(caller, queue=f"{caller.slug}-chosen")


@recipe("GET /desks/{slug}/visits/{visit}/why", "POST /desks/{slug}/visits/{visit}/front")
def _waiting(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return _desk(caller, visit=_join(caller, "chosen")["visit"])


@recipe("GET /visits/{visit}/why")
def _visitors_why(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return _by_visitor(rnd, _join(caller, "chosen"))


@recipe("POST /desks/{slug}/visits/{visit}/join", "POST /desks/{slug}/visits/{visit}/leave")
def _guest(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return _desk(caller, visit=_room(caller)[1]["visit"])


@recipe("POST /desks/{slug}/visits/{visit}/whisper")
def _whisper(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    given = _guest(stage, caller, rnd)
    given.body = {"id": name("said"), "text": "Hello"}
    return given


@recipe("POST /desks/{slug}/visits/{visit}/messages")
def _speak(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    given = _whisper(stage, caller, rnd)
    caller.post(f"desks/{caller.slug}-desk/visits/{given.path['visit']}/join")
    return given


@recipe("POST /desks/{slug}/visits/{visit}/end")
def _end(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    given = _waiting(stage, caller, rnd)
    given.body = {"reason": "Spam"}
    return given


@recipe("POST /desks/{slug}/visits/{visit}/take-over")
def _take_over(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    given = _guest(stage, caller, rnd)
    given.body = {"reason": "Help", "agent": _agent(caller, "chosen")[0]["agent"]}
    return given


@recipe("POST /desks/{slug}/agents/{agent}/pause", "POST /desks/{slug}/agents/{agent}/logout")
def _send_away(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    given = _desk(caller, agent=_agent(caller, "spare")[0]["agent"])
    given.body = {"reason": "Lunch"}
    return given


@recipe("GET /agent/visitor/{visit}")
def _earlier(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    query, joined = _room(caller)
    return Given({"visit": joined["visit"]}, query=query)


@recipe("POST /agent/outcome")
def _outcome(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    given = _in_room(stage, caller, rnd)
    given.body |= {"outcome": None, "note": "Asked for a receipt.", "id": name("note")}
    return given


@recipe("POST /agent/more-time")
def _more_time(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    """The wrap-up is running: a room has just ended, in the queue that has wrap-ups."""
    query, _ = _agent(caller, "wrapping")
    joined = _join(caller, "wrapping")
    caller.post("agent/finish", {"visit": joined["visit"]}, **query)
    state = caller.post("agent/beat", **query)
    ends = [slot["until_ms"] for slot in state["slots"] if slot["kind"] == "wrap_up"]
    return Given(body={"until_ms": max(ends)}, query=query)
