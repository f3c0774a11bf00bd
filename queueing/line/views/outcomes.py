"""Outcomes on pages: the desk's list in its settings, and a supervisor's choice for a visit."""

from collections.abc import Callable, Mapping
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from poolsite.access import Principal
from poolsite.console.tables import key_of
from queueing.line.errors import LineError
from queueing.line.forms.outcomes import OutcomeForm
from queueing.line.models import Desk, OutcomeCode, Visit
from queueing.line.services import outcomes as use
from queueing.line.views.common import cleaned

PREFIX = "outcome"


def settings_context(desk: Desk) -> dict[str, Any]:
    """Return the data of the outcomes card on the settings page."""
    codes = desk.outcome_codes.filter(archived_at=None)
    return {"outcomes": codes, "outcome_form": OutcomeForm(prefix=PREFIX)}


def set_outcome(principal: Principal, desk: Desk, request: HttpRequest) -> str:
    """Set a visit's outcome as a supervisor."""
    key = request.POST.get("visit", "")[:32]
    visit = Visit.objects.select_related("desk").filter(desk=desk, public_id=key).first()
    if visit is None:
        raise LineError("unknown-visit", _("Visit not found."))
    code = use.outcome_of_id(visit, key_of(request, "outcome"))
    use.visit_outcome(actor=principal, visit=visit, code=code)
    return _("Outcome saved.")


def _add(principal: Principal, desk: Desk, request: HttpRequest) -> str:
    given = cleaned(OutcomeForm(request.POST, prefix=PREFIX))
    code = use.outcome_add(actor=principal, desk=desk, **given)
    return _("Outcome %(name)s added.") % {"name": code.name}


def _usual(principal: Principal, desk: Desk, _request: HttpRequest) -> str:
    number = use.outcomes_usual(actor=principal, desk=desk)
    words: str = ngettext("%(n)s outcome added.", "%(n)s outcomes added.", number)
    return words % {"n": number}


def _remove(principal: Principal, desk: Desk, request: HttpRequest) -> str:
    code = _code(desk, request)
    use.outcome_remove(actor=principal, code=code)
    return _("Outcome %(name)s removed.") % {"name": code.name}


def _up(principal: Principal, desk: Desk, request: HttpRequest) -> str:
    use.outcome_move_up(actor=principal, code=_code(desk, request))
    return _("Order saved.")


def _code(desk: Desk, request: HttpRequest) -> OutcomeCode:
    rows = desk.outcome_codes.select_related("desk").filter(archived_at=None)
    code = rows.filter(pk=key_of(request, "id") or 0).first()
    if code is None:
        raise LineError("no-such-outcome", _("Outcome not found at this desk."))
    return code


VERBS: Mapping[str, Callable[[Principal, Desk, HttpRequest], str]] = {
    "outcome": _add,
    "outcomes_usual": _usual,
    "outcome_remove": _remove,
    "outcome_up": _up,
}
