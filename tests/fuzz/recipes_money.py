"""How the operations of accounts succeed: books, tariffs, top-ups, adjustments, campaigns."""

import random
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from tests.fuzz.given import COUNT, Given, name, recipe
from tests.fuzz.stage import Caller, Stage

OF = "/accounts/{slug}"
OPERATOR = "session:operator"  # with the grant `finance`
APPROVER = "session:approver"  # the second person, who approves
WHY = {"reason": "Fuzz"}
CSV = "number\n+8613900000001\n"


def rows_of(caller: Caller, stage: Stage, path: str, who: str = "all", **query: Any) -> Any:
    """Return the first page of a list."""
    asks = caller if not who.startswith("session:") else stage.operator
    answer = stage.client.get(
        f"/api/v1/accounts/{caller.slug}/{path}",
        params={"limit": 200, **query},
        headers=asks.headers(who),
    )
    assert answer.is_success, answer.text
    return answer.json()["data"]


def does(stage: Stage, caller: Caller, path: str, body: Any, who: str = OPERATOR) -> Any:
    """Return the answer to an operator's call."""
    return stage.operator.post(f"accounts/{caller.slug}/{path}", body, who=who)


@recipe(
    f"GET {OF}",
    *(f"GET {OF}/{part}" for part in ("messages", "entries", "receivables", "statements")),
    *(f"GET {OF}/{part}" for part in ("tariffs", "top-ups", "campaigns", "chatbots")),
    f"GET {OF}/promotions",
    *(f"GET {OF}/{part}" for part in ("templates", "opt-outs")),
)
def _seen(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": caller.slug})


@recipe(
    *(f"GET {OF}/{part}" for part in ("settings", "adjustments", "refunds", "open-holds")),
    f"GET {OF}/alert-recipients",
    f"GET {OF}/flagged-reports",
    f"POST {OF}/open",
)
def _by_operators(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": caller.slug}, who=OPERATOR)


@recipe(*(f"GET {OF}/statements/{{month}}{part}" for part in ("", "/rows", "/csv")))
def _month(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    answer = caller.get(f"accounts/{caller.slug}/statements")
    return Given({"slug": caller.slug, "month": answer["months"][0]["month"]})


@recipe(f"GET {OF}/statements/{{month}}/pdf")
def _final_month(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    """The month is over: the current month has no PDF."""
    return Given({"slug": caller.slug, "month": rnd.choice(["2026-01", "2026-02"])})


@recipe(f"POST {OF}/unfreeze", f"POST {OF}/rebuild", f"POST {OF}/payment-method/remove")
def _reasoned(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": caller.slug}, dict(WHY), who=OPERATOR)


def _spare(stage: Stage) -> str:
    """Create an account that no other recipe uses, to freeze or close."""
    slug = f"spare-{next(COUNT)}"
    stage.operator.post("people/accounts", {"slug": slug, "name": slug}, who=OPERATOR)
    stage.operator.post(f"accounts/{slug}/open", who=OPERATOR)
    return slug


@recipe(f"POST {OF}/freeze", f"POST {OF}/close")
def _shut(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": _spare(stage)}, dict(WHY), who=OPERATOR)


@recipe(f"PATCH {OF}/settings")
def _settings(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": _spare(stage)}, {"alert_below": "12.5"}, who=OPERATOR)


@recipe(f"POST {OF}/alert-recipients", f"DELETE {OF}/alert-recipients/{{recipient}}")
def _recipient(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    """An account can have 10 recipients, so older ones are deleted."""
    told, path = stage.operator, f"accounts/{caller.slug}/alert-recipients"
    headers = told.headers(OPERATOR)
    for row in told.client.get(f"/api/v1/{path}", headers=headers).json()["data"]:
        told.client.delete(f"/api/v1/{path}/{row['id']}", headers=headers)
    made = does(stage, caller, "alert-recipients", {"address": "ops@example.com"})
    body = {"address": "night@example.com"}
    return Given({"slug": caller.slug, "recipient": made["id"]}, body, who=OPERATOR)


# -- prices ----------------------------------------------------------------------------------------


RATE = {
    "prefix": "+4917",
    "destination": "Germany mobile",
    "days": ["mon", "fri"],
    "start": "08:00",
    "end": "18:00",
    "price_per_minute": "0.12",
    "first_increment": 60,
    "increment": 1,
    "connection_fee": "0.05",
}


def _tariff_body(days: int) -> dict[str, Any]:
    """Return a tariff for one unused day, long after all other dates."""
    begin = datetime(2110, 1, 1, tzinfo=UTC) + timedelta(days=days)
    return {
        "name": name("tariff"),
        "prices": {"video": {"unit_price": "0.5"}},
        "call_rates": [dict(RATE), {**RATE, "prefix": "", "destination": "Everywhere"}],
        "valid_from": begin.isoformat(),
        "valid_until": (begin + timedelta(days=1)).isoformat(),
    }


def _tariff(stage: Stage, caller: Caller) -> int:
    return int(does(stage, caller, "tariffs", _tariff_body(next(COUNT)))["id"])


@recipe(f"POST {OF}/tariffs", f"POST {OF}/tariff-previews")
def _new_tariff(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": caller.slug}, _tariff_body(next(COUNT)), who=OPERATOR)


@recipe(f"GET {OF}/tariffs/{{tariff}}")
def _one_tariff(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": caller.slug, "tariff": rows_of(caller, stage, "tariffs")[0]["id"]})


@recipe(f"GET {OF}/tariffs/{{tariff}}/call-rates")
def _call_rates(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": caller.slug, "tariff": _tariff(stage, caller)})


@recipe(f"PATCH {OF}/tariffs/{{tariff}}", f"DELETE {OF}/tariffs/{{tariff}}")
def _unused_tariff(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    path = {"slug": caller.slug, "tariff": _tariff(stage, caller)}
    return Given(path, _tariff_body(next(COUNT)), who=OPERATOR)


@recipe(f"POST {OF}/tariffs/{{tariff}}/end")
def _ended_tariff(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    made = does(stage, caller, "tariffs", _tariff_body(next(COUNT)))
    path = {"slug": caller.slug, "tariff": made["id"]}
    return Given(path, {"valid_until": made["valid_until"]}, who=OPERATOR)


# -- money in and out ------------------------------------------------------------------------------


@recipe(f"POST {OF}/top-ups")
def _start(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": caller.slug}, {"amount": "20", "provider": "stripe"}, who=OPERATOR)


@recipe(f"GET {OF}/top-ups/{{top_up}}", f"POST {OF}/top-ups/{{top_up}}/cancel")
def _top_up(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    made = does(stage, caller, "top-ups", {"amount": "20", "provider": "stripe"})
    return Given({"slug": caller.slug, "top_up": made["id"]}, who=OPERATOR)


def _adjustment(stage: Stage, caller: Caller, kind: str = "credit") -> int:
    body = {"kind": kind, "amount": "1", **WHY, "token": str(UUID(int=next(COUNT)))}
    return int(does(stage, caller, "adjustments", body)["id"])


@recipe(f"POST {OF}/adjustments")
def _adjust(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": caller.slug}, {"kind": "credit", "amount": "1", **WHY}, who=OPERATOR)


@recipe(f"POST {OF}/promotions")
def _promotion(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": caller.slug}, _granted(), who=OPERATOR)


def _granted() -> dict[str, str]:
    ends = datetime.now(UTC) + timedelta(days=30)
    return {"amount": "0.01", "expires_at": ends.isoformat(), **WHY}


@recipe(f"POST {OF}/promotions/{{promotion}}/revoke")
def _revoked(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    made = does(stage, caller, "promotions", _granted())
    if made["promotion"] is None:
        way = f"adjustments/{made['adjustment']['id']}/approve"
        does(stage, caller, way, dict(WHY), who=APPROVER)
        rows = rows_of(caller, stage, "promotions")
    else:
        rows = [made["promotion"]]
    return Given({"slug": caller.slug, "promotion": rows[0]["id"]}, dict(WHY), who=OPERATOR)


@recipe(f"POST {OF}/credit-limit")
def _lower_limit(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": caller.slug}, {"amount": "0", **WHY}, who=OPERATOR)


@recipe(
    f"GET {OF}/adjustments/{{adjustment}}",
    *(f"POST {OF}/adjustments/{{adjustment}}/{verb}" for verb in ("approve", "reject")),
)
def _decide(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    path = {"slug": caller.slug, "adjustment": _adjustment(stage, caller)}
    return Given(path, dict(WHY), who=APPROVER)
