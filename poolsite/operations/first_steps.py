"""An empty installation leads an operator to the first thing of each kind, in order.

Apps register a step each; the overview shows them until every one is done.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from poolsite import access
from poolsite.access import Principal


@dataclass(frozen=True)
class FirstStep:
    """One step: what to make, why, where. `done` asks SQL; `action` is what its page requires."""

    name: str
    title: str
    text: str
    label: str  # of the button
    url_name: str
    action: str
    done: Callable[[], bool]
    order: int = 50


STEPS: dict[str, FirstStep] = {}


def register_first_step(step: FirstStep) -> None:
    """Add a step; the same name again replaces the first."""
    STEPS[step.name] = step


def first_steps(principal: Principal) -> list[dict[str, Any]]:
    """What an operator who may do all of it should do; [] when everything is done.

    Rows: title, text, label, url, done, and `next` for the first that is not done.
    """
    if not principal.is_operator:
        return []
    steps = sorted(STEPS.values(), key=lambda step: step.order)
    allowed = [step for step in steps if access.decide(principal, step.action)]
    rows: list[dict[str, Any]] = []
    waiting = False
    for step in allowed:
        done = step.done()
        rows.append(
            {
                "title": step.title,
                "text": step.text,
                "label": step.label,
                "url": reverse(step.url_name),
                "done": done,
                "next": not done and not waiting,
            }
        )
        waiting = waiting or not done
    return rows if waiting else []
