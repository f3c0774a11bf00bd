"""How the operations of accounts succeed: refunds, campaigns, senders, opt-outs, reports."""

import random
from dataclasses import replace
from typing import Any

from tests.fuzz.given import COUNT, Given, name, recipe
from tests.fuzz.recipes_money import APPROVER, CSV, OF, OPERATOR, WHY, does, rows_of
from tests.fuzz.stage import Caller, Stage

CAMPAIGN, CHATBOT = f"{OF}/campaigns/{{campaign}}", f"{OF}/chatbots/{{chatbot}}"
TEMPLATE = f"{OF}/templates/{{template}}"
REFUND = {"amount": "1", "payout": "Bank, 1, Mei", **WHY}


@recipe(f"POST {OF}/adjustments/{{adjustment}}/cancel")
def _give_up(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    """A cash refund that exceeds the balance (tests/fuzz/world_money.py)."""
    found = rows_of(caller, stage, "adjustments", OPERATOR, state="applied", kind="cash_refund")
    stuck = [row["id"] for row in found if row["reason"] == "stuck"]
    return Given({"slug": caller.slug, "adjustment": stuck[0]}, dict(WHY), who=OPERATOR)


def _no_open_refund(stage: Stage, caller: Caller) -> None:
    for row in rows_of(caller, stage, "refunds", OPERATOR, state="open"):
        does(stage, caller, f"refunds/{row['id']}/withdraw", None)


@recipe(f"POST {OF}/refunds")
def _ask(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    _no_open_refund(stage, caller)
    return Given({"slug": caller.slug}, dict(REFUND), who=OPERATOR)


@recipe(f"POST {OF}/refunds/{{refund}}/accept")
def _accept(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    _no_open_refund(stage, caller)
    made = does(stage, caller, "refunds", dict(REFUND))
    return Given({"slug": caller.slug, "refund": made["id"]}, who=APPROVER)


@recipe(*(f"POST {OF}/refunds/{{refund}}/{verb}" for verb in ("withdraw", "decline")))
def _answer(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return replace(_accept(stage, caller, rnd), body=dict(WHY))


# -- campaigns -------------------------------------------------------------------------------------


def _template(stage: Stage, caller: Caller) -> int:
    """Return the complete template."""
    found = rows_of(caller, stage, "templates", state="active")
    return int(next(row["id"] for row in found if not row["missing"]))


def _in_state(stage: Stage, caller: Caller, rnd: random.Random, state: str) -> Given:
    found = rows_of(caller, stage, "campaigns", state=state)
    ready = [row["id"] for row in found if row["recipients"] and not row["reading"]]
    return Given({"slug": caller.slug, "campaign": rnd.choice(ready)})


def _draft(stage: Stage, caller: Caller) -> Given:
    body = {"name": name("campaign"), "template": _template(stage, caller)}
    made = caller.post(f"accounts/{caller.slug}/campaigns", body)
    return Given({"slug": caller.slug, "campaign": made["id"]})


@recipe(f"POST {OF}/campaigns")
def _create(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    body = {"name": name("campaign"), "template": _template(stage, caller), "recipients": CSV}
    return Given({"slug": caller.slug}, body)


@recipe(
    *(f"GET {CAMPAIGN}{part}" for part in ("", "/recipients", "/dropped-rows", "/estimate")),
    f"POST {CAMPAIGN}/send",
)
def _ready(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return _in_state(stage, caller, rnd, "draft")


@recipe(f"POST {CAMPAIGN}/test-send")
def _test(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    given = _in_state(stage, caller, rnd, "draft")
    given.body = {"number": "+8613900000000"}
    return given


@recipe(f"PATCH {CAMPAIGN}", f"DELETE {CAMPAIGN}")
def _change(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    given = _draft(stage, caller)
    given.body = {"name": name("campaign"), "template": _template(stage, caller)}
    given.body["scheduled_at"] = "2090-01-01T00:00:00Z"
    given.body |= {"quiet_from": "22:00", "quiet_until": "06:00"}
    return given


@recipe(f"POST {CAMPAIGN}/recipients")
def _replace(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    given = _draft(stage, caller)
    given.body = {"recipients": CSV}
    return given


@recipe(f"POST {CAMPAIGN}/pause")
def _pause(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return _in_state(stage, caller, rnd, "scheduled")


@recipe(f"POST {CAMPAIGN}/resume")
def _resume(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return _in_state(stage, caller, rnd, "paused")


@recipe(f"POST {CAMPAIGN}/cancel")
def _cancel(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    given = _in_state(stage, caller, rnd, "low")
    given.body = dict(WHY)
    return given


@recipe(f"POST {CAMPAIGN}/await-top-up")
def _await(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    """The owner calls it: operators may not send."""
    given = _in_state(stage, caller, rnd, "low")
    given.who = f"session:{caller.slug}-owner"
    return given


# -- senders ---------------------------------------------------------------------------------------


@recipe(f"POST {OF}/chatbots")
def _new_chatbot(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": caller.slug}, {"id": name("bot"), "name": "Bot"})


@recipe(
    *(f"{method} {CHATBOT}" for method in ("GET", "PATCH")),
    *(f"POST {CHATBOT}/{verb}" for verb in ("archive", "restore", "token")),
)
def _chatbot(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    made = caller.post(f"accounts/{caller.slug}/chatbots", {"id": name("bot"), "name": "Bot"})
    return Given({"slug": caller.slug, "chatbot": made["id"]}, {"name": "Bot"})


def _new(caller: Caller) -> dict[str, Any]:
    return {"name": name("template"), "chatbot": "shop", "native_text": "Hello"}


@recipe(f"POST {OF}/templates")
def _new_template(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": caller.slug}, _new(caller))


@recipe(
    *(f"{method} {TEMPLATE}" for method in ("GET", "PATCH")),
    *(f"POST {TEMPLATE}/{verb}" for verb in ("archive", "restore")),
)
def _one_template(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    made = caller.post(f"accounts/{caller.slug}/templates", _new(caller))
    return Given({"slug": caller.slug, "template": made["id"]}, {"native_text": "Hi"})


@recipe(f"POST {OF}/opt-outs")
def _opt_out(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": caller.slug}, {"numbers": [f"+86137{next(COUNT):08d}"]})


@recipe(f"POST {OF}/opt-outs/{{opt_out}}/remove")
def _remove(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    caller.post(f"accounts/{caller.slug}/opt-outs", {"numbers": [f"+86137{next(COUNT):08d}"]})
    path = {"slug": caller.slug, "opt_out": rows_of(caller, stage, "opt-outs")[0]["id"]}
    return Given(path, dict(WHY))


def _open_report(stage: Stage, caller: Caller, rnd: random.Random) -> dict[str, Any]:
    """Return the path of a flagged report that is not closed and that no charge waits for."""
    found = rows_of(caller, stage, "flagged-reports", OPERATOR)
    return {
        "slug": caller.slug,
        "report": rnd.choice([row["id"] for row in found if not row["waiting"]]),
    }


@recipe(f"POST {OF}/flagged-reports/{{report}}/accept")
def _accept_report(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given(_open_report(stage, caller, rnd), dict(WHY), who=OPERATOR)


@recipe(f"POST {OF}/flagged-reports/{{report}}/charge")
def _charge_report(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given(_open_report(stage, caller, rnd), {"amount": "0.09", **WHY}, who=OPERATOR)
