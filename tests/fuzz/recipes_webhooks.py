"""How the operations of webhooks succeed."""

import random
from typing import Any

from tests.fuzz.given import Given, name, recipe
from tests.fuzz.stage import Caller, Stage


def _new(caller: Caller) -> dict[str, Any]:
    """Return the body of a new endpoint.

    Its host never exists (RFC 2606), so nothing is ever sent.
    """
    return {
        "name": name("hook"),
        "url": "https://hooks.invalid/in",
        "events": ["message.failed"],
        "account": caller.slug,
    }


def _endpoint(caller: Caller) -> str:
    """Create an endpoint after deleting all others: an account can have a limited number."""
    for row in caller.get("webhooks")["data"]:
        caller.client.delete(f"/api/v1/webhooks/{row['id']}", headers=caller.headers("all"))
    return str(caller.post("webhooks", _new(caller))["id"])


@recipe("GET /webhooks", "GET /webhook-events")
def _lists(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given()


@recipe("POST /webhooks")
def _create(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    _endpoint(caller)
    return Given(body=_new(caller))


@recipe(
    "GET /webhooks/{slug}",
    "DELETE /webhooks/{slug}",
    "POST /webhooks/{slug}/rotate",
    "POST /webhooks/{slug}/enable",
    "POST /webhooks/{slug}/test",
    "POST /webhooks/{slug}/resend",
    "GET /webhooks/{slug}/deliveries",
)
def _one(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": _endpoint(caller)})


@recipe("PATCH /webhooks/{slug}")
def _change(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": _endpoint(caller)}, {"name": name("hook")})


@recipe("POST /webhooks/{slug}/disable")
def _disable(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": _endpoint(caller)}, {"reason": "moves"})


@recipe(
    "GET /webhooks/{slug}/deliveries/{delivery}",
    "POST /webhooks/{slug}/deliveries/{delivery}/resend",
)
def _delivery(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    slug = _endpoint(caller)
    made = caller.post(f"webhooks/{slug}/test")
    return Given({"slug": slug, "delivery": made["id"]})
