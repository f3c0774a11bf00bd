"""How the operations of invoices succeed: issue, read, credit; profiles, the seller and rates."""

import random
from datetime import date, timedelta
from typing import Any

from tests.fuzz.given import COUNT, Given, recipe
from tests.fuzz.recipes_money import APPROVER, OF, OPERATOR, WHY, does
from tests.fuzz.stage import Caller, Stage

ONE = f"{OF}/invoices/{{invoice}}"
MONTH = {"month": "2026-01"}  # of world_money.py
PROFILE = {"legal_name": "Fuzz Ltd", "address": "Fuzz Street 1", "country": "CN"}
SELLER = {
    "name": "Poolsite Ltd",
    "address": "Harbour Street 8",
    "country": "CN",
    "prefix": "PS",
    "zone": "Asia/Shanghai",
    "first_month": "2026-01-01",
}


def _invoice(stage: Stage, caller: Caller) -> int:
    """Return the month's valid invoice: a new one if the last was credited."""
    return int(does(stage, caller, "invoices", dict(MONTH))["id"])


@recipe(f"GET {OF}/invoices", f"GET {OF}/tax-profile")
def _seen(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": caller.slug})


@recipe(f"POST {OF}/invoices")
def _issue(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": caller.slug}, dict(MONTH), who=OPERATOR)


@recipe(*(f"GET {ONE}{part}" for part in ("", "/pdf", "/csv")))
def _one(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": caller.slug, "invoice": _invoice(stage, caller)})


@recipe(f"POST {ONE}/credit")
def _credit(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    path = {"slug": caller.slug, "invoice": _invoice(stage, caller)}
    return Given(path, dict(WHY), who=OPERATOR)


def _asked(stage: Stage, caller: Caller) -> int:
    """Return an invoice whose credit note waits for a second person's approval."""
    invoice = _invoice(stage, caller)
    does(stage, caller, f"invoices/{invoice}/credit", dict(WHY))
    return invoice


@recipe(*(f"POST {ONE}/credit/{verb}" for verb in ("approve", "reject")))
def _decide(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    path = {"slug": caller.slug, "invoice": _asked(stage, caller)}
    return Given(path, dict(WHY), who=APPROVER)


@recipe(f"GET {ONE}/credit/pdf")
def _credited(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    invoice = _asked(stage, caller)
    does(stage, caller, f"invoices/{invoice}/credit/approve", dict(WHY), who=APPROVER)
    return Given({"slug": caller.slug, "invoice": invoice})


@recipe(f"PUT {OF}/tax-profile")
def _profile(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": caller.slug}, dict(PROFILE), who=OPERATOR)


# -- of the platform -------------------------------------------------------------------------------


@recipe(*(f"GET /invoicing/{part}" for part in ("invoices", "seller", "tax-rates")))
def _shared(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given(who=OPERATOR)


@recipe("PUT /invoicing/seller")
def _seller(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({}, dict(SELLER), who=OPERATOR)


def _rate_body() -> dict[str, Any]:
    """Return a rate for one unused day, long after all other dates."""
    begin = date(2110, 1, 1) + timedelta(days=next(COUNT))
    until = begin + timedelta(days=1)
    told = {"country": "XK", "kind": "messages", "name": "VAT", "rate": "6"}
    return {**told, "valid_from": f"{begin}", "valid_until": f"{until}"}


@recipe("POST /invoicing/tax-rates")
def _rate(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({}, _rate_body(), who=OPERATOR)


@recipe("POST /invoicing/tax-rates/{rate}/end")
def _end(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    made = stage.operator.post("invoicing/tax-rates", _rate_body(), who=OPERATOR)
    return Given({"rate": made["id"]}, {"valid_until": made["valid_until"]}, who=OPERATOR)
