"""The pool's events, in the format of `POST /api/v1/pools/{slug}/events`."""

import re
from collections.abc import Hashable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

TEXT_LIMIT = 256
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class QueuedEvent:
    """An event that waits to be sent.

    A newer report with the same key replaces an older one: only the newest state of a line counts.
    `until` is when the registration ends, by the event loop's clock.
    """

    key: Hashable
    event: dict[str, Any]
    until: float | None = None


@dataclass(frozen=True, slots=True)
class Ending:
    """How a call ended: FreeSWITCH's hangup cause, and whether the call was answered."""

    cause: str = ""
    answered: bool = False


def hang_up(call_id: str, ending: Ending) -> QueuedEvent:
    """Return the event for the end of a call. Only this function sets its cause."""
    event: dict[str, Any] = {"event": "hangup", "call_id": call_id}
    if ending.cause:  # else the end was missed, and its cause is unknown
        event |= {"cause": printable(ending.cause, 64), "answered": ending.answered}
    return QueuedEvent(("call", call_id), event)


def register(number: str, contact: str, *, seq: int, until: float | None) -> QueuedEvent:
    """Return the event for a line that is registered until `until`; None means without an end."""
    return QueuedEvent(("line", number, contact), _line("reg", number, contact, seq), until)


def unregister(number: str, contact: str, *, seq: int) -> QueuedEvent:
    """Return the event for a line that is no longer registered."""
    return QueuedEvent(("line", number, contact), _line("unreg", number, contact, seq))


def _line(name: str, number: str, contact: str, seq: int) -> dict[str, Any]:
    event: dict[str, Any] = {"event": name, "number": number, "seq": seq}
    if contact:
        event["contact"] = _short(contact)
    return event


def _short(contact: str) -> str:
    """Return a contact in the form that the pool accepts.

    One that is too long becomes its digest.
    """
    text = printable(contact, len(contact))
    return text if len(text) <= TEXT_LIMIT else sha256(contact.encode()).hexdigest()


def printable(text: str, limit: int = TEXT_LIMIT) -> str:
    """Return text from the network as the pool accepts it: printable and not too long."""
    return _UNPRINTABLE.sub("?", text.encode("utf-8", "replace").decode())[:limit]
