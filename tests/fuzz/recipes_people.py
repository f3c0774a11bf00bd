"""How the operations about people, tokens, the audit log, incidents, jobs, tags and notes succeed.

Only a login manages people and tokens: here it is that of the platform's operator.
"""

import random
from typing import Any

from tests.fuzz.given import Given, moment, name, recipe
from tests.fuzz.stage import Caller, Stage

OPERATOR = "session:operator"
ACCOUNT = "/people/accounts/{slug}"


def _get(stage: Stage, path: str) -> Any:
    """Return the operator's answer."""
    caller = stage.operator
    answer = caller.client.get(f"/api/v1/{path}", headers=caller.headers(OPERATOR))
    assert answer.is_success, f"{path}: {answer.status_code} {answer.text}"
    return answer.json()


def _patch(stage: Stage, path: str, body: Any) -> None:
    caller = stage.operator
    headers = caller.headers(OPERATOR)
    caller.client.patch(f"/api/v1/{path}", json=body, headers=headers).raise_for_status()


def _made(stage: Stage, path: str, body: Any) -> int:
    return int(stage.operator.post(path, body, who=OPERATOR)["id"])


@recipe(
    "GET /people/accounts",
    "GET /people/operators",
    "GET /people/operator-invitations",
    "GET /people/finance-requests",
    "GET /tokens",
    "GET /audit-log",
    "GET /incidents",
    "GET /jobs",
    "GET /alert-recipients",
    "GET /profile",
    "GET /saved-views",
)
def _lists(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given(who=OPERATOR)


@recipe(f"GET {ACCOUNT}", f"GET {ACCOUNT}/members", f"GET {ACCOUNT}/invitations")
def _account(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": caller.slug}, who=OPERATOR)


@recipe("POST /people/accounts")
def _make_account(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    body = {"slug": name("made-account"), "name": "Made", "zone": "", "currency": "", "locale": ""}
    return Given(body=body | {"locale": "en"}, who=OPERATOR)


@recipe(f"PATCH {ACCOUNT}")
def _change_account(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    body = {"name": f"{caller.told.mark} house", "zone": "Asia/Tokyo", "locale": "en"}
    return Given({"slug": caller.slug}, body, who=OPERATOR)


def _agent(caller: Caller) -> dict[str, Any]:
    return {"slug": caller.slug, "user": caller.told.agents["spare"]}


@recipe(f"PATCH {ACCOUNT}/members/{{user}}")
def _member(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    body = {"roles": ["agent"], "supervises": [f"desk:{caller.slug}-desk"]}
    return Given(_agent(caller), body, who=OPERATOR)


def _removable(caller: Caller) -> dict[str, Any]:
    return {"slug": caller.slug, "user": caller.told.people["removable"]}


@recipe(f"POST {ACCOUNT}/members/{{user}}/remove")
def _remove(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    """This succeeds once: a removed person only comes back through an invitation by email."""
    return Given(_removable(caller), who=OPERATOR)


@recipe(f"POST {ACCOUNT}/invitations")
def _invite(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    body = {"email": f"{name('new')}@example.com", "role": "agent"}
    return Given({"slug": caller.slug}, body, who=OPERATOR)


@recipe(f"POST {ACCOUNT}/invitations/{{invitation}}/withdraw")
def _withdraw(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    given = _invite(stage, caller, rnd)
    made = _made(stage, f"people/accounts/{caller.slug}/invitations", given.body)
    return Given({"slug": caller.slug, "invitation": made}, who=OPERATOR)


# -- operators -------------------------------------------------------------------------------------


@recipe("PATCH /people/operators/{user}")
def _operator(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    body = {"grants": ["supervise"], "reason": "New"}
    return Given({"user": stage.operator.told.people["leaver"]}, body, who=OPERATOR)


@recipe("POST /people/operator-invitations")
def _invite_operator(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    body = {"email": f"{name('new')}@example.com", "grants": ["operate"]}
    return Given(body=body, who=OPERATOR)


@recipe("POST /people/operator-invitations/{invitation}/withdraw")
def _withdraw_operator(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    given = _invite_operator(stage, caller, rnd)
    made = _made(stage, "people/operator-invitations", given.body)
    return Given({"invitation": made}, who=OPERATOR)


def _waiting(stage: Stage) -> int:
    """Return a finance grant that waits for approval, for a person without that grant."""
    waiting = _get(stage, "people/finance-requests?status=waiting")["data"]
    if not waiting:
        path = f"people/operators/{stage.operator.told.people['candidate']}"
        _patch(stage, path, {"grants": [], "reason": "Anew"})
        _patch(stage, path, {"grants": ["finance"], "reason": "Needed"})
        waiting = _get(stage, "people/finance-requests?status=waiting")["data"]
    return int(waiting[0]["id"])


@recipe("GET /people/finance-requests/{finance_request}")
def _request(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"finance_request": _waiting(stage)}, who=OPERATOR)


@recipe(
    "POST /people/finance-requests/{finance_request}/approve",
    "POST /people/finance-requests/{finance_request}/reject",
)
def _decide(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    body = {"reason": "Agreed"}
    return Given({"finance_request": _waiting(stage)}, body, who="session:approver")


@recipe(
    "POST /people/users/{user}/deactivate",
    "POST /people/users/{user}/activate",
    "POST /people/users/{user}/reset-factor",
)
def _user(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    path = {"user": stage.operator.told.people["leaver"]}
    return Given(path, {"reason": "Planned"}, who=OPERATOR)


# -- tokens and the audit log ----------------------------------------------------------------------


@recipe("POST /tokens")
def _make_token(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    body = {
        "name": "made",
        "account": caller.slug,
        "actions": ["numbers.view"],
        "resources": [f"pool:{caller.slug}-pool"],
        "events": [],
        "networks": [],
        "expires_at": None,
    }
    return Given(body=body, who=OPERATOR)


@recipe("GET /tokens/{token}", "POST /tokens/{token}/revoke")
def _token(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    made = _made(stage, "tokens", _make_token(stage, caller, rnd).body)
    return Given({"token": made}, {"reason": "Lost"}, who=OPERATOR)


def _renamed(stage: Stage, caller: Caller) -> int:
    """Change an account, and return the audit entry of the change, which can be undone."""
    path = f"people/accounts/{caller.slug}"
    for zone in ("Asia/Tokyo", "Asia/Seoul"):
        _patch(stage, path, {"zone": zone})
    asked = f"audit-log?action=access.account_change&account={caller.slug}&limit=1"
    return int(_get(stage, asked)["data"][0]["id"])


@recipe("GET /audit-log/{entry}", "POST /audit-log/{entry}/undo")
def _entry(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"entry": _renamed(stage, caller)}, who=OPERATOR)


# -- incidents, jobs, tags and notes ---------------------------------------------------------------


@recipe(
    "GET /incidents/{incident}",
    "POST /incidents/{incident}/acknowledge",
    "POST /incidents/{incident}/end-snooze",
)
def _incident(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"incident": stage.operator.told.people["incident"]}, who=OPERATOR)


@recipe("POST /incidents/{incident}/assign")
def _assign(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    given = _incident(stage, caller, rnd)
    owners = _get(stage, f"incidents/{given.path['incident']}")["owners"]
    operator = next(each for each in owners if each["username"] == "operator")
    return Given(given.path, {"user": operator["id"]}, who=OPERATOR)


@recipe("POST /incidents/{incident}/snooze")
def _snooze(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    body = {"until": moment(hours=-1), "reason": "Known"}
    return Given(_incident(stage, caller, rnd).path, body, who=OPERATOR)


@recipe("POST /incidents/{incident}/notes")
def _incident_note(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    """An incident can have 100 notes, so most calls of a long run are refused."""
    return Given(_incident(stage, caller, rnd).path, {"text": "Checked"}, who=OPERATOR)


@recipe("POST /incidents/{incident}/resolve")
def _resolve(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    """This also succeeds if the incident has ended: then nothing changes."""
    path = {"incident": stage.operator.told.people["by_hand"]}
    return Given(path, {"reason": "Done"}, who=OPERATOR)


@recipe("POST /alert-recipients")
def _add_recipient(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    body = {"address": f"{name('ops')}@example.com", "account": caller.slug, "active": False}
    return Given(body=body, who=OPERATOR)


@recipe(
    "GET /alert-recipients/{recipient}",
    "PATCH /alert-recipients/{recipient}",
    "DELETE /alert-recipients/{recipient}",
)
def _recipient(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    made = _made(stage, "alert-recipients", _add_recipient(stage, caller, rnd).body)
    return Given({"recipient": made}, {"warnings": False}, who=OPERATOR)


@recipe("PATCH /profile")
def _profile(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given(body={"zone": rnd.choice(("Asia/Tokyo", "")), "locale": "en"}, who=OPERATOR)


@recipe("POST /saved-views", "DELETE /saved-views/{view}")
def _view(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    """The name stays the same, because a page can have only 30 views."""
    body = {"path": "/history/", "name": "Pools", "query": "kind=pool"}
    return Given({"view": _made(stage, "saved-views", body)}, body, who=OPERATOR)


@recipe("GET /jobs/{job}", "POST /jobs/{job}/cancel")
def _job(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    """This also succeeds if the job has ended: then nothing changes."""
    path = {"job": f"fuzz-{stage.operator.told.people['job']:04d}"}
    return Given(path, {"reason": "Not needed"}, who=OPERATOR)


def _object(caller: Caller, **more: Any) -> dict[str, Any]:
    return {"kind": "pool", "slug": f"{caller.slug}-pool", **more}


@recipe("GET /objects/{kind}/{slug}/tags", "GET /objects/{kind}/{slug}/notes")
def _beside(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given(_object(caller))


@recipe("POST /objects/{kind}/{slug}/tags")
def _tags(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given(_object(caller), {"tags": [f"tag-{rnd.randrange(30)}"]}, who=OPERATOR)


@recipe("POST /objects/{kind}/{slug}/notes", "POST /objects/{kind}/{slug}/notes/{note}/remove")
def _note(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    """An object can have 100 notes, so older ones are removed."""
    path = f"objects/pool/{caller.slug}-pool/notes"
    for row in _get(stage, f"{path}?limit=200")["data"]:
        stage.operator.tries(f"{path}/{row['id']}/remove", who=OPERATOR)
    made = _made(stage, path, {"text": "Call first"})
    return Given(_object(caller, note=made), {"text": "Call first"}, who=OPERATOR)
