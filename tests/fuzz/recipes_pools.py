"""How the operations of pools and of money succeed."""

import random
from typing import Any

from tests.fuzz.given import Given, moment, name, recipe
from tests.fuzz.stage import Caller, Stage


@recipe("GET /accounts", "GET /desks", "GET /pools", "GET /gates", "GET /groups")
def _lists(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given()


@recipe(
    "GET /pools/{slug}",
    "GET /pools/{slug}/health",
    "GET /pools/{slug}/health/numbers",
    "GET /pools/{slug}/health/rules",
    "GET /pools/{slug}/switches",
)
def _pool(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": f"{caller.slug}-pool"})


@recipe("GET /pools/{slug}/numbers/{number}")
def _number(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": f"{caller.slug}-pool", "number": rnd.choice(caller.told.numbers)})


@recipe("POST /pools/{slug}/events")
def _event(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    path = {"slug": f"{caller.slug}-pool"}
    call = name("call")
    event = rnd.choice(["reg", "call", "renew", "hangup"])
    body: dict[str, Any] = {"event": event, "call_id": call}
    if event == "reg":
        body = {"event": "reg", "number": rnd.choice(caller.told.numbers)}
    elif event != "call":
        caller.post(f"pools/{caller.slug}-pool/events", {"event": "call", "call_id": call})
    return Given(path, body)


@recipe("POST /pools/{slug}/live")
def _live(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    call = name("call")
    switch = {"switch": "fs-02", "incarnation": name("boot")}
    event = {"event": "call", "call_id": call, **switch}
    caller.post(f"pools/{caller.slug}-pool/events", event)
    body = {**switch, "calls": [{"call_id": call}]}
    return Given({"slug": f"{caller.slug}-pool"}, body)


@recipe("POST /pools/{slug}/spam-labels")
def _label(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    number = rnd.choice(caller.told.numbers)
    label = {"number": number, "source": "Hiya", "label": "Spam", "seen_at": moment(hours=1)}
    return Given({"slug": f"{caller.slug}-pool"}, {"labels": [label]})


@recipe("POST /pools/{slug}/switches")
def _switch(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": f"{caller.slug}-pool"}, {"name": name("fs")}, who="session:operator")


@recipe("PATCH /pools/{slug}/switches/{name}")
def _switch_change(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    path = {"slug": f"{caller.slug}-pool", "name": "fs-01"}
    return Given(path, {"kind": "media"}, who="session:operator")


@recipe("GET /numbers/who-had")
def _who_had(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given(query={"at": moment(minutes=1), "number": rnd.choice(caller.told.numbers)})


def _message() -> dict[str, Any]:
    return {"message_id": name("m"), "chatbot": "shop", "text": "Hello"}


def _held(caller: Caller, *, sent: bool = False) -> str:
    body = _message()
    caller.post(f"accounts/{caller.slug}/holds", {**body, "sent": sent})
    return str(body["message_id"])


@recipe("GET /accounts/{slug}/balance")
def _balance(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": caller.slug})


@recipe("POST /accounts/{slug}/holds")
def _hold(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": caller.slug}, _message())


@recipe("POST /accounts/{slug}/sessions")
def _session(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": caller.slug}, _message())


@recipe("POST /accounts/{slug}/sent", "POST /accounts/{slug}/cancellations")
def _mark(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": caller.slug}, {"message_id": _held(caller)})


@recipe("POST /accounts/{slug}/settlements")
def _settle(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    body = {
        "message_id": _held(caller, sent=True),
        "final": True,
        "delivered": True,
        "mode": "native_text",
    }
    return Given({"slug": caller.slug}, body, who="gateway")


@recipe("GET /accounts/{slug}/messages/{message_id}")
def _one_message(stage: Stage, caller: Caller, rnd: random.Random) -> Given:
    return Given({"slug": caller.slug, "message_id": _held(caller)})
