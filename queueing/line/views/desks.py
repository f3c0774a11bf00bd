"""Pages for supervisors and operators: all desks, a desk's wallboard and its floor."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from poolsite import access
from poolsite.access import Principal
from poolsite.aggregates.columns import first_columns
from poolsite.aggregates.lists import AggregateList, Words
from poolsite.console.lists import Column
from poolsite.console.pages import principal_of
from poolsite.console.tables import key_of
from poolsite.console.verbs import act, word_of
from queueing.line import definitions, pauses
from queueing.line.errors import LineError
from queueing.line.forms.desks import DeskCreateForm
from queueing.line.models import Agent, Desk, Visit
from queueing.line.selectors import floor as floors
from queueing.line.selectors import wallboard
from queueing.line.selectors.desks import DeskRow, desk_rows
from queueing.line.services import desks as use
from queueing.line.services import rooms
from queueing.line.views.common import desk_of, tabs, visible_desks


def _words() -> Words:
    return Words(
        title=_("Desks"),
        new=_("New desk"),
        create=_("Create desk"),
        none=_("No desks yet"),
        none_why=_(
            "A desk has queues and the agents who serve them. Visitors join a queue, and "
            "agents serve them in turn."
        ),
        first=_("Create the first desk"),
        unlike=_("No desks match"),
        unlike_why=_("Try a different name."),
    )


def _columns() -> list[Column[DeskRow]]:
    return [
        *first_columns("desk", _("Desk")),
        Column("queues", _("Queues"), lambda row: row.queues),
        Column("waiting", _("Waiting"), lambda row: row.waiting),
        Column("longest", _("Longest wait"), lambda row: row.longest_seconds),
        Column("free", _("Free agents"), lambda row: row.free),
    ]


LIST = AggregateList[Desk, DeskRow](
    kind="desk",
    icon="support_agent",
    template="line/desks.html",
    url="line:desks",
    create_url="line:desk_create",
    view_action="line.view",
    create_action="line.create",
    topic="line.desks",
    words=_words,
    counted=lambda n: ngettext("%(n)s desk", "%(n)s desks", n) % {"n": f"{n:,}"},
    visible=visible_desks,
    figures=desk_rows,
    columns=_columns,
    form=DeskCreateForm,
    create=use.desk_create,
    made=lambda desk: (
        _("Desk %(name)s created. Create its first queue next.") % {"name": desk.name}
    ),
    goes_to="line:settings",
    goal="visitor",
    incidents="line.",
)


@require_GET
def wallboard_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a desk's wallboard, to be read from afar. Actions are in its table of visitors."""
    principal = principal_of(request)
    desk = desk_of(principal, slug)
    context = {
        "desk": desk,
        "board": wallboard.board(desk),
        "may_supervise": access.decide(principal, "line.supervise", desk).allowed,
        "topic": f"line.desk:{desk.slug}",
        **definitions.of_board(),
    }
    return render(request, "line/wallboard.html", context)


@require_GET
def floor(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the floor: who waits and why, what agents do, and actions.

    Drawn by the page's script.
    """
    principal = principal_of(request)
    desk = desk_of(principal, slug)
    own = desk.agents.filter(user_id=principal.user_id or 0, archived_at=None).first()
    shown = tabs(principal, desk)
    page = {
        "desk": desk.slug,
        "floor": floors.floor(desk),
        "may_supervise": shown["may_supervise"],
        "own_agent": own.user_id if own is not None else None,
        "reasons": [each.text for each in pauses.read_reasons(desk.pause_reasons)],
    }
    return render(request, "line/floor.html", {**shown, "tab": "floor", "page": page})


@require_POST
def desk_act(request: HttpRequest, slug: str) -> HttpResponse:
    """Run one of the actions in VERBS. Show what was done, or why nothing was."""
    desk = desk_of(principal_of(request), slug, "line.supervise")
    act(request, VERBS, desk)
    back = request.POST.get("back", "")[:32]
    if back and Visit.objects.filter(desk=desk, public_id=back).exists():
        return redirect("line:story", slug=desk.slug, visit=back)
    return redirect("line:floor", slug=desk.slug)


def _log_out(principal: Principal, desk: Desk, request: HttpRequest) -> str:
    agent = _agent(desk, request)
    rooms.agent_log_out_now(actor=principal, agent=agent, reason=word_of(request, "reason"))
    words = _("%(name)s was logged out. Their visitors went back to the front of the line.")
    return words % {"name": agent.name}


def _end(principal: Principal, desk: Desk, request: HttpRequest) -> str:
    visit, reason = _visit(desk, request), word_of(request, "reason")
    rooms.visit_end_by_supervisor(actor=principal, visit=visit, reason=reason)
    return _("Visit ended.")


def _take_over(principal: Principal, desk: Desk, request: HttpRequest) -> str:
    visit, agent = _visit(desk, request), _agent(desk, request)
    rooms.visit_take_over(actor=principal, visit=visit, agent=agent)
    return _("%(name)s took over the room.") % {"name": agent.name}


def _move(principal: Principal, desk: Desk, request: HttpRequest) -> str:
    visit, front = _visit(desk, request), request.POST["verb"] == "front"
    queue = desk.queues.filter(slug=request.POST.get("queue", "")[:40]).first() or visit.queue
    reason = word_of(request, "reason")
    rooms.visit_move(actor=principal, visit=visit, queue=queue, front=front, reason=reason)
    return _("Visitor moved to %(queue)s.") % {"queue": queue.name}


def _visit(desk: Desk, request: HttpRequest) -> Visit:
    visit = Visit.objects.filter(desk=desk, public_id=request.POST.get("visit", "")[:32]).first()
    if visit is None:
        raise LineError("unknown-visit", _("Visit not found."))
    return visit


def _agent(desk: Desk, request: HttpRequest) -> Agent:
    agent = Agent.objects.filter(desk=desk, user_id=key_of(request, "agent") or 0).first()
    if agent is None:
        raise LineError("unknown-agent", _("Agent not found."))
    return agent


VERBS = {
    "log_out": _log_out,
    "end": _end,
    "take_over": _take_over,
    "move": _move,
    "front": _move,
}
