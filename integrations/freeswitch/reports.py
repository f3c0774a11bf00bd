"""What the pool is told: its events, as `POST /api/v1/pools/{slug}/events` takes them."""

import re
from collections.abc import Hashable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

TEXT_LIMIT = 256
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class QueuedEvent:
    """One event that waits to be sent.

    A newer report with the same key takes the place of an older one: of a line only its newest
    state counts. `until`: when the registration ends, by the event loop's clock.
    """

    key: Hashable
    event: dict[str, Any]
    until: float | None = None


@dataclass(frozen=True, slots=True)
class Ending:
    """How a call ended: FreeSWITCH's hangup cause, and whether anyone had answered."""

    cause: str = ""
    answered: bool = False


def hang_up(call_id: str, ending: Ending) -> QueuedEvent:
    """The end of a call. The one place that knows how the pool is told of its cause."""
    event: dict[str, Any] = {"event": "hangup", "call_id": call_id}
    if ending.cause:  # else its end was not heard, and nothing is known of it
        event |= {"cause": printable(ending.cause, 64), "answered": ending.answered}
    return QueuedEvent(("call", call_id), event)


def register(number: str, contact: str, *, seq: int, until: float | None) -> QueuedEvent:
    """A line is registered until then."""
    return QueuedEvent(("line", number, contact), _line("reg", number, contact, seq), until)


def unregister(number: str, contact: str, *, seq: int) -> QueuedEvent:
    """A line's registration is gone."""
    return QueuedEvent(("line", number, contact), _line("unreg", number, contact, seq))


def _line(name: str, number: str, contact: str, seq: int) -> dict[str, Any]:
    event: dict[str, Any] = {"event": name, "number": number, "seq": seq}
    if contact:
        event["contact"] = _short(contact)
    return event


def _short(contact: str) -> str:
    """A contact as the pool takes it: one that is too long is named by its digest."""
    text = printable(contact, len(contact))
    return text if len(text) <= TEXT_LIMIT else sha256(contact.encode()).hexdigest()


def printable(text: str, limit: int = TEXT_LIMIT) -> str:
    """Text from the network as the pool takes it: no control characters, and not too long."""
    return _UNPRINTABLE.sub("?", text.encode("utf-8", "replace").decode())[:limit]
