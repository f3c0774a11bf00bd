"""How the operations on whole groups, names and links succeed; each uses up what it makes."""

import random

from tests.dispatch.people import front
from tests.fuzz.given import Given, name, recipe
from tests.fuzz.stage import Caller, Stage

OPERATOR = "session:operator"


def _new_group(stage: Stage) -> str:
    slug = name("short-lived-group")
    stage.operator.post("groups", {"slug": slug}, who=OPERATOR)
    return slug


@recipe("PATCH /groups/{slug}")
def _change(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    """A group of its own: other heartbeats would end the links of the others."""
    return Given({"slug": _new_group(stage)}, {"name": "Servers"}, who=OPERATOR)


@recipe("DELETE /groups/{slug}")
def _delete(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": _new_group(stage)}, query={"reason": "Not needed"}, who=OPERATOR)


@recipe("DELETE /groups/{slug}/instances/{name}")
def _forget(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    group, instance = f"{caller.slug}-group", name("old")
    caller.post(f"groups/{group}/instances/{instance}/manual", {"state": "open"})
    return Given({"slug": group, "name": instance}, query={"reason": "Replaced"})


@recipe("POST /groups/{slug}/peers/{peer}/disconnect")
def _disconnect(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    group = f"{caller.slug}-group"
    with stage.hotpath():
        peer = front(group, name("fe"))
    return Given({"slug": group, "peer": peer.key}, {"reason": "Stuck"})


@recipe("GET /groups/{slug}/sessions")
def _sessions(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    peer = caller.peers["front"]
    return Given({"slug": f"{caller.slug}-group"}, query={"peer": peer.key})
