"""How the operations on whole groups, names and links succeed. Each uses up what it creates."""

import random

from tests.dispatch.people import back, front
from tests.fuzz.given import Given, name, recipe
from tests.fuzz.stage import Caller, Stage

OPERATOR = "session:operator"


def _new_group(stage: Stage) -> str:
    slug = name("short-lived-group")
    stage.operator.post("groups", {"slug": slug}, who=OPERATOR)
    return slug


@recipe("PATCH /groups/{slug}")
def _change(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    """The group is new: other heartbeats would end the links of the tenant's group."""
    return Given({"slug": _new_group(stage)}, {"name": "Servers"}, who=OPERATOR)


@recipe("DELETE /groups/{slug}")
def _delete(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": _new_group(stage)}, query={"reason": "Not needed"}, who=OPERATOR)


@recipe("DELETE /groups/{slug}/instances/{name}")
def _forget(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    group, instance = f"{caller.slug}-group", name("old")
    caller.post(f"groups/{group}/instances/{instance}/manual", {"state": "open"})
    return Given({"slug": group, "name": instance}, query={"reason": "Replaced"})


@recipe("POST /groups/{slug}/instances/{name}/backup")
def _backup(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    group, backup = f"{caller.slug}-group", rnd.choice([True, False])
    return Given({"slug": group, "name": "as-2"}, {"backup": backup, "reason": "Spare"})


@recipe("POST /groups/{slug}/instances/{name}/uneject")
def _uneject(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    """The group is new. In it, one failed session is enough."""
    ejection = {"failure_threshold_percent": 1, "failure_minimum_sessions": 1}
    group = name("failing-group")
    stage.operator.post("groups", {"slug": group, **ejection}, who=OPERATOR)
    with stage.hotpath():
        caller_of, peers = front(group), [back(each, group) for each in ("as-1", "as-2")]
        session = caller_of.start("1")
        served_by = next(peer for peer in peers if peer.outbox())
        served_by.end(session, failed=True)
    failing = "as-1" if served_by is peers[0] else "as-2"
    return Given({"slug": group, "name": failing}, {"reason": "Repaired"}, who=OPERATOR)


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
