"""What a recipe is: how an operation of the document succeeds, with the real ids and the body that
it needs.

A recipe makes what it needs through the interface itself, as the tenant that it is asked for, so
operations that end or use up something find something each time. Its operation is named as the
document does, less the prefix.
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
    """Register how these operations, `POST /pools/{slug}/events`, succeed."""

    def keep(made: Recipe) -> Recipe:
        RECIPES.update(dict.fromkeys(operations, made))
        return made

    return keep


def name(kind: str) -> str:
    """A name that was never used."""
    return f"{kind}-{next(COUNT)}"


def moment(**ago: float) -> str:
    return (datetime.now(UTC) - timedelta(**ago)).isoformat()
