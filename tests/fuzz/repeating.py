"""A repeated call with the same ID has the same answer and no second effect."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from schemathesis import Case
from schemathesis.core.transport import Response

from tests.fuzz.given import Given
from tests.fuzz.stage import Caller

if TYPE_CHECKING:
    from tests.fuzz.fuzzing import Fuzz

# What may differ: the time, and what else happened meanwhile.
MOMENTS = {"as_of", "seq", "remaining_ms", "lease_seconds", "spendable", "outcome"}
CHARGED = ("POST /accounts/{slug}/holds", "POST /accounts/{slug}/sessions")
SPOKEN = (
    *("POST /visits/{visit}/messages", "POST /agent/messages", "POST /agent/notes"),
    *("POST /visits/{visit}/attachments", "POST /agent/attachments"),
)
REPEATED = (
    *CHARGED,
    *SPOKEN,
    "POST /accounts/{slug}/sent",
    "POST /accounts/{slug}/cancellations",
    "POST /accounts/{slug}/settlements",
    "POST /gates/{slug}/acquire",
)


def repeat(
    fuzz: "Fuzz", name: str, case: Case, caller: Caller, needed: Given, first: Response
) -> Iterator[str]:
    """Yield what is wrong with the answer to the repeat of a call that succeeded."""
    calls = name == "POST /pools/{slug}/events" and _is_call(case.body)
    if not (name in REPEATED or calls) or not isinstance(case.body, dict):
        return
    before = effect(caller, name, case)
    again = fuzz.call(name, case, caller, needed.who)
    if again is None:
        return
    if again.status_code != first.status_code:
        yield f"a repeat answers {again.status_code}, not {first.status_code}"
    else:
        now, then = _lasting(again.json()), _lasting(first.json())
        other = sorted(key for key in now | then if now.get(key) != then.get(key))
        if other:
            yield f"a repeat answers otherwise: {other}"
    if effect(caller, name, case) != before:
        yield "a repeat has an effect of its own"
    if name in CHARGED:
        yield from _other_body(fuzz, name, case, caller, needed)


def _other_body(
    fuzz: "Fuzz", name: str, case: Case, caller: Caller, needed: Given
) -> Iterator[str]:
    """Check that the ID with another message is refused as documented, and changes nothing."""
    before = effect(caller, name, case)
    case.body = {"message_id": needed.body["message_id"], "chatbot": "shop", "text": "Another"}
    answer = fuzz.call(name, case, caller, needed.who)
    if answer is not None and answer.json().get("type") != "other-body":
        yield f"another body under the same id answers {answer.status_code}"
    if effect(caller, name, case) != before:
        yield "another body under the same id has an effect"


def _is_call(body: Any) -> bool:
    return isinstance(body, dict) and body.get("event") == "call" and bool(body.get("call_id"))


def _lasting(body: Any) -> Any:
    """Return an answer without what may differ. "repeat" is a correct answer."""
    told = {key: "" if value == "repeat" else value for key, value in body.items()}
    return {key: value for key, value in told.items() if key not in MOMENTS}


def effect(caller: Caller, name: str, case: Case) -> Any:
    """Return the state that a second effect would change."""
    if "/accounts/" in name:
        told = caller.get(f"accounts/{caller.slug or 'own'}/balance")
        return told["spendable"], told["held"]
    if name in SPOKEN:
        visit = case.path_parameters.get("visit")
        if visit is None and isinstance(case.body, dict):
            visit = case.body.get("visit")
        if visit is None:
            return None
        return len(caller.get(f"visits/{visit}/messages")["messages"])
    return None
