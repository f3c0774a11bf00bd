"""The columns of a list of aggregates; its rows are of `poolsite.aggregates.reading.Now`."""

from typing import Any

from poolsite.aggregates.lists import state_column
from poolsite.console.lists import Column


def first_columns(name: str, label: str) -> list[Column[Any]]:
    """The aggregate's name, and what is wrong with it."""
    named: Column[Any] = Column(name, label, lambda now: now.row.name, right=False)
    return [named, state_column(lambda now: now.row)]


def figure_column(name: str, label: str) -> Column[Any]:
    """One of its figures; empty while Redis has none."""
    return Column(name, label, lambda now: getattr(now.figures, name, None))


def hour_column(name: str, label: str) -> Column[Any]:
    """What the last hour counted under this name."""
    return Column(name, label, lambda now: now.hour[name])
