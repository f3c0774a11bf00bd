"""The types of events that webhooks send. Apps declare theirs in `AppConfig.ready()`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

TEST = "endpoint.test"


@dataclass(frozen=True)
class EventType:
    """A type: its name in the interface, its label, when it is sent, and an example of its data.

    group: the heading under which it is listed.
    """

    name: str
    group: "StrOrPromise"
    label: "StrOrPromise"
    when: "StrOrPromise"
    example: Mapping[str, Any]


_TYPES: dict[str, EventType] = {}


def declare(*types: EventType) -> None:
    """Add an app's types. Raise ValueError if a name is already declared differently."""
    for each in types:
        if _TYPES.setdefault(each.name, each) != each:
            raise ValueError(f"webhook event {each.name!r} is declared otherwise")


def known() -> dict[str, EventType]:
    """Return all types by name, in order."""
    return dict(sorted(_TYPES.items()))
