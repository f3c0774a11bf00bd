"""An agent's own history: past rooms with a search, one of them to read, its outcome."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from poolsite.console.lists import address
from poolsite.console.pages import principal_of
from poolsite.console.tables import key_of
from poolsite.console.verbs import carry_out
from poolsite.paging import keyset_page
from queueing.line.selectors import own_history
from queueing.line.services import outcomes
from queueing.line.views.common import agent_of

STARS = ("2", "3", "4")  # this number or fewer


@require_GET
def history_page(request: HttpRequest) -> HttpResponse:
    """Show the user's own past rooms, newest first. The URL holds the search."""
    agent = agent_of(principal_of(request))
    if agent is None:
        return render(request, "line/history.html", {"agent": None})
    asked = _asked(request)
    wanted = own_history.HistoryQuery(
        days=int(asked["days"]),
        search=asked["q"],
        outcome=key_of(request, "outcome"),
        stars=int(asked["stars"]) if asked["stars"] else None,
    )
    before = request.GET.get("before", "")[:64]
    rows = own_history.older_rooms(own_history.own_rooms(agent, wanted), before)
    page, last = keyset_page(rows, own_history.ROWS)
    context = {
        "agent": agent,
        "asked": asked,
        "rows": page,
        "figures": own_history.figures(agent, wanted.days),
        "periods": [(str(n), _("Last %(n)s days") % {"n": n}) for n in own_history.PERIODS],
        "outcomes": agent.desk.outcome_codes.all(),
        "star_choices": STARS,
        "is_filtered": bool(asked["q"] or asked["outcome"] or asked["stars"]),
        "shown": _("%(n)s shown") % {"n": len(page)},
        "next_url": address(asked, before=own_history.cursor_of(last)) if last is not None else "",
        "back_url": address(asked) if before else "",
        "clear_url": address({"days": asked["days"]}),
    }
    return render(request, "line/history.html", context)


@require_GET
def history_visit(request: HttpRequest, visit: str) -> HttpResponse:
    """Show a past visit as far as the agent could read it. Its outcome can still be chosen."""
    agent = agent_of(principal_of(request))
    found = own_history.own_visit(agent, visit) if agent is not None else None
    if agent is None or found is None:
        raise Http404
    context = {
        "agent": agent,
        "visit": found,
        "messages_said": own_history.own_messages(agent, found),
        "rooms": found.rooms.filter(agent=agent).select_related("queue").order_by("began_at"),
        "outcomes": own_history.codes_of(agent),
        "may_choose": outcomes.may_choose(agent, found),
    }
    return render(request, "line/history_visit.html", context)


@require_POST
def history_act(request: HttpRequest, visit: str) -> HttpResponse:
    """Set the outcome of an own visit after its wrap-up."""
    principal = principal_of(request)
    agent = agent_of(principal)
    found = own_history.own_visit(agent, visit) if agent is not None else None
    if agent is None or found is None:
        raise Http404

    def run() -> str:
        code = outcomes.outcome_of_id(found, key_of(request, "outcome"))
        outcomes.visit_outcome(actor=principal, visit=found, code=code, agent=agent)
        return _("Outcome saved.")

    carry_out(request, run)
    return redirect("line:history_visit", visit=found.public_id)


def _asked(request: HttpRequest) -> dict[str, str]:
    days, stars = request.GET.get("days", ""), request.GET.get("stars", "")
    outcome = key_of(request, "outcome")
    return {
        "days": days if days in map(str, own_history.PERIODS) else "30",
        "q": " ".join(request.GET.get("q", "")[: own_history.SEARCH_LENGTH].split()),
        "outcome": str(outcome or ""),
        "stars": stars if stars in STARS else "",
    }
