"""How the operations of gates and of the dispatcher succeed."""

import random
from typing import Any

from tests.fuzz.given import Given, moment, name, recipe
from tests.fuzz.stage import Caller, Stage


@recipe(
    "GET /gates/{slug}",
    "GET /gates/{slug}/holders",
    "GET /gates/{slug}/line",
    "GET /gates/{slug}/samples",
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


@recipe("GET /gates/{slug}/devices/{device}")
def _explain(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": f"{caller.slug}-gate", "device": f"d{rnd.randrange(50)}"})


@recipe("GET /gates/{slug}/holders/{holder}")
def _holder(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    given = _permit(stage, caller, rnd)
    return Given({**given.path, "holder": given.body["holder"]})


@recipe("POST /gates/{slug}/holders/{holder}/free")
def _free(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    given = _permit(stage, caller, rnd)
    path = {**given.path, "holder": given.body["holder"]}
    return Given(path, {"token": given.body["token"], "reason": "Stuck"}, who="session:operator")


@recipe("POST /gates")
def _make_gate(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given(body={"slug": name("made-gate"), "cap": 5}, who="session:operator")


@recipe("PATCH /gates/{slug}")
def _change_gate(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    """The gate is new: the other operations need slots of the tenant's gate."""
    body = {"waiting_alarm": rnd.randrange(100), "reason": "Planned"}
    return Given({"slug": _own_gate(stage)}, body, who="session:operator")


@recipe("POST /gates/{slug}/resize", "POST /gates/{slug}/pin")
def _limit(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    path = {"slug": _own_gate(stage)}
    return Given(path, {"cap": rnd.randrange(1, 50), "reason": "More"}, who="session:operator")


@recipe(
    "POST /gates/{slug}/unpin",
    "POST /gates/{slug}/pause",
    "POST /gates/{slug}/resume",
    "POST /gates/{slug}/open",
)
def _act(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": _own_gate(stage)}, {"reason": "Planned"}, who="session:operator")


@recipe("DELETE /gates/{slug}")
def _delete_gate(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": _own_gate(stage)}, query={"reason": "Planned"}, who="session:operator")


def _own_gate(stage: Stage) -> str:
    slug = name("made-gate")
    stage.operator.post("gates", {"slug": slug}, who="session:operator")
    return slug


@recipe("POST /gates/{slug}/key/{do}")
def _key(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    """A signing key always exists. `use` also needs one that waits."""
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


@recipe(
    "GET /gates/{slug}/batches/{batch}",
    "GET /gates/{slug}/batches/{batch}/tasks",
    "GET /gates/{slug}/batches/{batch}/failed",
)
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


@recipe("GET /groups/{slug}/sessions/explain")
def _session_explained(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given(_group_path(caller), query={"session": _started(stage, caller)})


@recipe("POST /groups/{slug}/sessions/end")
def _session_end(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    session = _started(stage, caller)
    return Given(_group_path(caller), {"reason": "Stuck"}, query={"session": session})


def _abort(caller: Caller) -> None:
    for row in caller.get(f"groups/{caller.slug}-group/upgrades")["data"]:
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
    """The upgrade drains: for its first step, a tick of the worker has to run."""
    for row in caller.get(f"groups/{caller.slug}-group/upgrades")["data"]:
        steps = {step["status"] for step in row["steps"]}
        if row["status"] == "running" and "draining" in steps:
            return Given(_group_path(caller, upgrade=row["id"]), {"reason": "Late"})
    upgrade = _running(caller)
    stage.work()
    return Given(_group_path(caller, upgrade=upgrade), {"reason": "Late"})
