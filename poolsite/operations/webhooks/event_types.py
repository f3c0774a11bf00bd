"""The types of events that webhooks carry. Apps declare theirs in `AppConfig.ready()`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

TEST = "endpoint.test"


@dataclass(frozen=True)
class EventType:
    """One type: its name in the interface, what it is called, when it is sent, and its data.

    group: the heading that it is listed under.
    """

    name: str
    group: "StrOrPromise"
    label: "StrOrPromise"
    when: "StrOrPromise"
    example: Mapping[str, Any]


_TYPES: dict[str, EventType] = {}


def declare(*types: EventType) -> None:
    """Add an app's types; ValueError when a name means something else already."""
    for each in types:
        if _TYPES.setdefault(each.name, each) != each:
            raise ValueError(f"webhook event {each.name!r} is declared otherwise")


def known() -> dict[str, EventType]:
    """Return the types by name, in that order."""
    return dict(sorted(_TYPES.items()))
