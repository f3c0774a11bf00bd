"""The columns of a list of aggregates, whose rows are `poolsite.aggregates.reading.Now`."""

from typing import Any

from poolsite.aggregates.lists import state_column
from poolsite.console.lists import Column


def first_columns(name: str, label: str) -> list[Column[Any]]:
    """Return the columns with the aggregate's name and with its problems."""
    named: Column[Any] = Column(name, label, lambda now: now.row.name, right=False)
    return [named, state_column(lambda now: now.row)]


def figure_column(name: str, label: str) -> Column[Any]:
    """Return the column of a figure. A cell is empty while Redis has no figures."""
    return Column(name, label, lambda now: getattr(now.figures, name, None))


def hour_column(name: str, label: str) -> Column[Any]:
    """Return the column of the last hour's count of this name."""
    return Column(name, label, lambda now: now.hour[name])
