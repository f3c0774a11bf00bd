"""Helpers of the desks' pages: the desk of the URL, tabs, form data, CSV."""

from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import StreamingHttpResponse

from poolsite import access
from poolsite.access import Principal
from poolsite.csv_text import csv_file
from queueing.line.models import Agent, Desk
from queueing.line.selectors.desks import DESKS

visible_desks, desk_of = DESKS.visible, DESKS.get


def agent_of(principal: Principal) -> Agent | None:
    """Return the user as an agent, or None. Raise the refusal if the user may not serve."""
    access.require(principal, "line.serve")
    rows = Agent.objects.select_related("desk", "desk__account").filter(archived_at=None)
    agent = rows.filter(user_id=principal.user_id or 0).first()
    if agent is not None:
        access.require(principal, "line.serve", agent.desk)
    return agent


def tabs(principal: Principal, desk: Desk) -> dict[str, Any]:
    """Return the data that every page of a desk needs for its tabs."""
    return {
        "desk": desk,
        "may_view": access.decide(principal, "line.view", desk).allowed,
        "may_supervise": access.decide(principal, "line.supervise", desk).allowed,
        "may_configure": access.decide(principal, "line.configure", desk).allowed,
    }


def cleaned(form: forms.BaseForm) -> dict[str, Any]:
    """Return a small form's data. Raise ValidationError, field by field, if it is invalid."""
    if form.is_valid():
        return form.cleaned_data
    raise ValidationError(
        [
            f"{form[name].label}: {' '.join(map(str, faults))}"
            for name, faults in form.errors.items()
        ]
    )


def csv_answer(
    name: str, heads: Sequence[str], rows: Iterable[Sequence[Any]]
) -> StreamingHttpResponse:
    """Return a CSV file. Floats are rounded to four decimals."""
    return csv_file(f"{name}.csv", heads, ([_rounded(value) for value in row] for row in rows))


def _rounded(value: Any) -> Any:
    return round(value, 4) if isinstance(value, float) else value
