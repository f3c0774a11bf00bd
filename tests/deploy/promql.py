"""The metrics and labels that a PromQL query names: enough of the grammar for our own queries."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

SELECTOR = re.compile(r"\b(poolsite_\w+|process_\w+|up|ALERTS)\b(?:\{([^}]*)\})?")
MATCHER = re.compile(r'(\w+)\s*(=~|!=|!~|=)\s*"([^"]*)"')
GROUPED = re.compile(r"\b(?:by|on|without|ignoring)\s*\(([^)]*)\)")


@dataclass(frozen=True)
class Selector:
    """A metric of a query, and the requested values by label."""

    metric: str
    labels: dict[str, tuple[str, ...]]


def selectors(query: str) -> Iterator[Selector]:
    """Yield every metric that the query reads."""
    for metric, inside in SELECTOR.findall(query):
        matchers = MATCHER.findall(inside)
        yield Selector(metric, {name: tuple(value.split("|")) for name, _, value in matchers})


def grouping(query: str) -> set[str]:
    """Return every label that the query groups or joins by."""
    inside = ",".join(GROUPED.findall(query))
    return {name.strip() for name in inside.split(",") if name.strip()}
