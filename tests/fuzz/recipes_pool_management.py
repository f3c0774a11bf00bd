"""How the operations that manage pools succeed: each on a pool of its own, which may be deleted."""

import random
from typing import Any

from tests.fuzz.given import Given, name, recipe
from tests.fuzz.stage import Caller, Stage

OPERATOR = "session:operator"
WHY = {"reason": "Planned"}
FIRST = 18_700_000_000  # none of the world's


def _post(stage: Stage, path: str, body: Any) -> Any:
    return stage.operator.post(path, body, who=OPERATOR)


def _pool(stage: Stage, caller: Caller) -> str:
    slug = name("made-pool")
    _post(stage, "pools", {"slug": slug, "account": caller.slug})
    return slug


def _new_number() -> str:
    return f"+86{FIRST + int(name('n').partition('-')[2])}"


def _with_number(stage: Stage, caller: Caller) -> dict[str, Any]:
    slug, number = _pool(stage, caller), _new_number()
    _post(stage, f"pools/{slug}/numbers", {"numbers": [{"number": number}]})
    return {"slug": slug, "number": number}


@recipe("POST /pools")
def _create(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given(body={"slug": name("made-pool"), "account": caller.slug}, who=OPERATOR)


@recipe("PATCH /pools/{slug}")
def _change(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": _pool(stage, caller)}, {"cooldown_seconds": 5}, who=OPERATOR)


@recipe("DELETE /pools/{slug}")
def _delete(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": _pool(stage, caller)}, query=WHY, who=OPERATOR)


@recipe(
    "POST /pools/{slug}/pause",
    "POST /pools/{slug}/resume",
    "POST /pools/{slug}/open",
    "POST /pools/{slug}/reconcile",
)
def _steer(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": _pool(stage, caller)}, dict(WHY), who=OPERATOR)


@recipe(
    "GET /pools/{slug}/numbers",
    "GET /pools/{slug}/calls",
    "GET /pools/{slug}/imports",
    "GET /pools/{slug}/health/actions",
)
def _lists(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": f"{caller.slug}-pool"})


@recipe("GET /pools/{slug}/numbers/{number}/events")
def _events(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": f"{caller.slug}-pool", "number": rnd.choice(caller.told.numbers)})


@recipe("POST /pools/{slug}/numbers")
def _add(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    body = {"numbers": [{"number": _new_number(), "label": "Desk"}]}
    return Given({"slug": _pool(stage, caller)}, body, who=OPERATOR)


@recipe("POST /pools/{slug}/number-ranges")
def _range(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    number = _new_number()
    return Given({"slug": _pool(stage, caller)}, {"first": number, "last": number}, who=OPERATOR)


@recipe("POST /pools/{slug}/number-changes")
def _many(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    path = _with_number(stage, caller)
    action = rnd.choice(["quarantine", "release", "hangup", "delete"])
    body = {"action": action, "numbers": [path.pop("number")], **WHY}
    return Given(path, body, who=OPERATOR)


@recipe("PATCH /pools/{slug}/numbers/{number}")
def _change_number(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given(_with_number(stage, caller), {"label": "Desk", "tags": ["vip"]}, who=OPERATOR)


@recipe("DELETE /pools/{slug}/numbers/{number}")
def _delete_number(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given(_with_number(stage, caller), query=WHY, who=OPERATOR)


@recipe(
    "POST /pools/{slug}/numbers/{number}/quarantine",
    "POST /pools/{slug}/numbers/{number}/release",
)
def _hold(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given(_with_number(stage, caller), dict(WHY), who=OPERATOR)


@recipe("POST /pools/{slug}/numbers/{number}/hangup")
def _hang_up(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    slug = f"{caller.slug}-pool"
    call = caller.post(f"pools/{slug}/events", {"event": "call", "call_id": name("call")})
    return Given({"slug": slug, "number": call["number"]}, dict(WHY), who=OPERATOR)


def _uploaded(stage: Stage, slug: str) -> dict[str, Any]:
    made = _post(stage, f"pools/{slug}/imports", {"csv": f"number\n{_new_number()}\n"})
    return {"slug": slug, "import_id": made["id"]}


@recipe("POST /pools/{slug}/imports")
def _upload(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": _pool(stage, caller)}, {"csv": "number\n13800000000\n"}, who=OPERATOR)


@recipe("GET /pools/{slug}/imports/{import_id}", "GET /pools/{slug}/imports/{import_id}/rows")
def _import(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given(_uploaded(stage, f"{caller.slug}-pool"))


@recipe(
    "POST /pools/{slug}/imports/{import_id}/confirm",
    "POST /pools/{slug}/imports/{import_id}/discard",
)
def _previewed(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    path = _uploaded(stage, _pool(stage, caller))
    stage.work()
    return Given(path, dict(WHY), who=OPERATOR)


@recipe("POST /pools/{slug}/imports/{import_id}/undo")
def _done(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    given = _previewed(stage, caller, rnd)
    _post(stage, "pools/{slug}/imports/{import_id}/confirm".format(**given.path), {})
    stage.work()
    return given


@recipe("POST /pools/{slug}/health/actions/{action_id}/undo")
def _action(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    """An action of a rule. The world has created some, and each can be undone once."""
    slug = f"{caller.slug}-pool"
    asked = "returned=false&limit=1"
    rows = caller.get(f"pools/{slug}/health/actions?{asked}")["data"]
    path = {"slug": slug, "action_id": rows[0]["id"] if rows else 1}
    return Given(path, dict(WHY), who=OPERATOR)


def _rule(stage: Stage, slug: str) -> int:
    return int(_post(stage, f"pools/{slug}/health/rules", {"name": name("rule")})["id"])


@recipe("POST /pools/{slug}/health/rules")
def _make_rule(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": _pool(stage, caller)}, {"name": name("rule")}, who=OPERATOR)


@recipe("PATCH /pools/{slug}/health/rules/{rule_id}")
def _change_rule(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    slug = _pool(stage, caller)
    path = {"slug": slug, "rule_id": _rule(stage, slug)}
    return Given(path, {"enabled": False}, who=OPERATOR)


@recipe("DELETE /pools/{slug}/health/rules/{rule_id}")
def _delete_rule(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    slug = _pool(stage, caller)
    return Given({"slug": slug, "rule_id": _rule(stage, slug)}, query=WHY, who=OPERATOR)


@recipe("GET /numbers/twins")
def _twins(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given()


@recipe("POST /numbers/twins/merge")
def _merge_all(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given(body=dict(WHY), who=OPERATOR)


@recipe("POST /numbers/twins/{number}/merge", "POST /numbers/twins/{number}/remove")
def _twin(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    """The next of the duplicates in the world."""
    rows = stage.operator.get("numbers/twins?limit=1")["data"]
    number = rows[0]["rows"][-1]["stored_as"] if rows else "0"
    return Given({"number": number}, dict(WHY), who=OPERATOR)
