"""Recipes: how an operation of the document succeeds, with the real IDs and body that it needs.

A recipe creates what it needs through the API itself, as the given tenant, so operations that end
or use up an object find one each time. Its operation has the name in the document, without the
prefix.
"""

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.fuzz.stage import Caller, Stage

COUNT = itertools.count(1)


@dataclass
class Given:
    """What a call needs. `who`: a token's name, a token, or `session:<user>` of the platform."""

    path: dict[str, Any] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=dict)
    query: dict[str, Any] = field(default_factory=dict)
    who: str = "all"


Recipe = Callable[[Stage, Caller, random.Random], Given]
RECIPES: dict[str, Recipe] = {}


def recipe(*operations: str) -> Callable[[Recipe], Recipe]:
    """Register how these operations succeed, such as `POST /pools/{slug}/events`."""

    def keep(made: Recipe) -> Recipe:
        RECIPES.update(dict.fromkeys(operations, made))
        return made

    return keep


def name(kind: str) -> str:
    """Return a name that was never used."""
    return f"{kind}-{next(COUNT)}"


def moment(**ago: float) -> str:
    return (datetime.now(UTC) - timedelta(**ago)).isoformat()
