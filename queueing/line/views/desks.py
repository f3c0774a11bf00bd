"""For supervisors and operators: all desks, and one desk's wallboard with its verbs."""

from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from poolsite import access, hotpath
from poolsite.access import Principal
from poolsite.operations.pages import principal_of
from queueing.line import desk as door
from queueing.line.errors import LineError
from queueing.line.models import Agent, Desk, Visit
from queueing.line.selectors import wallboard
from queueing.line.services import rooms

LINE_ROWS = 50


def visible_desks(principal: Principal) -> "QuerySet[Desk]":
    """The desks that the reader may watch."""
    return access.visible(Desk.objects.select_related("account"), principal, "line.view")


def desk_of(principal: Principal, slug: str, action: str = "line.view") -> Desk:
    """One desk, or the refusal: a foreign one looks like a missing one."""
    desk = Desk.objects.select_related("account").filter(slug=slug).first()
    if desk is None:
        raise Http404
    access.require(principal, action, desk)
    return desk


@require_GET
def desk_list(request: HttpRequest) -> HttpResponse:
    """Every desk with its figures; with one desk only, its wallboard."""
    principal = principal_of(request)
    access.require(principal, "line.view")
    desks = list(visible_desks(principal).order_by("slug")[:200])
    figures = hotpath.run_batch([door.show(desk.slug) for desk in desks])
    rows = [
        {"desk": desk, **_summary(found if isinstance(found, door.DeskFigures) else None)}
        for desk, found in zip(desks, figures, strict=True)
    ]
    return render(request, "line/desks.html", {"rows": rows})


def _summary(figures: door.DeskFigures | None) -> dict[str, Any]:
    if figures is None:
        return {"waiting": None, "free": None, "status": "missing"}
    queues = figures.queues.values()
    return {
        "waiting": sum(queue.waiting for queue in queues),
        "free": sum(queue.free for queue in queues),
        "queues": len(queues),
        "status": figures.status,
    }


@require_GET
def wallboard_page(request: HttpRequest, slug: str) -> HttpResponse:
    """One desk, to be read from afar; what can be done stands in its table of visitors."""
    principal = principal_of(request)
    desk = desk_of(principal, slug)
    context = {
        "desk": desk,
        "board": wallboard.board(desk),
        "may_supervise": access.decide(principal, "line.supervise", desk).allowed,
        "topic": f"line.desk:{desk.slug}",
    }
    return render(request, "line/wallboard.html", context)


@require_GET
def floor(request: HttpRequest, slug: str) -> HttpResponse:
    """Who waits and who is served, with the supervisor's verbs beside each."""
    principal = principal_of(request)
    desk = desk_of(principal, slug)
    lines = []
    for queue in desk.queues.all():
        part = hotpath.run(door.waiting(desk.slug, queue.pk, count=LINE_ROWS))
        lines.append({"queue": queue, "visits": part.visits})
    said = Visit.objects.filter(desk=desk, ended_at=None).in_bulk(field_name="public_id")
    running = [row for row in said.values() if row.matched_at is not None]
    context = {
        "desk": desk,
        "lines": lines,
        "said": said,
        "running": sorted(running, key=lambda row: row.matched_at or row.joined_at)[:200],
        "agents": Agent.objects.filter(desk=desk, archived_at=None).select_related("user"),
        "may_supervise": access.decide(principal, "line.supervise", desk).allowed,
        "topic": f"line.desk:{desk.slug}",
    }
    return render(request, "line/floor.html", context)


@require_POST
def act(request: HttpRequest, slug: str) -> HttpResponse:
    """One of a supervisor's verbs: end, move, take_over, log_out. Says what was done."""
    principal = principal_of(request)
    desk = desk_of(principal, slug, "line.supervise")
    try:
        messages.success(request, _act(principal, desk, request))
    except LineError as error:
        messages.error(request, error.detail)
    except hotpath.HotPathError:
        messages.error(request, _("Redis did not answer. Look before you try again."))
    return redirect("line:floor", slug=desk.slug)


def _act(principal: Principal, desk: Desk, request: HttpRequest) -> str:
    verb, reason = request.POST.get("verb", ""), request.POST.get("reason", "")[:200]
    if verb == "log_out":
        agent = _agent(desk, request.POST.get("agent", ""))
        rooms.agent_log_out_now(actor=principal, agent=agent, reason=reason)
        return _("%(name)s is logged out. Visitors went back to the front of the line.") % {
            "name": agent.name
        }
    visit = Visit.objects.filter(desk=desk, public_id=request.POST.get("visit", "")[:32]).first()
    if visit is None:
        raise LineError("unknown-visit", _("There is no such visit."))
    if verb == "end":
        rooms.visit_end_by_supervisor(actor=principal, visit=visit, reason=reason)
        return _("The visit has ended.")
    if verb == "take_over":
        agent = _agent(desk, request.POST.get("agent", ""))
        rooms.visit_take_over(actor=principal, visit=visit, agent=agent)
        return _("The room is with %(name)s now.") % {"name": agent.name}
    if verb in ("move", "front"):
        queue = desk.queues.filter(slug=request.POST.get("queue", "")[:40]).first() or visit.queue
        rooms.visit_move(
            actor=principal, visit=visit, queue=queue, front=verb == "front", reason=reason
        )
        return _("The visitor is in %(queue)s now.") % {"queue": queue.name}
    raise LineError("malformed", _("There is no such action."))


def _agent(desk: Desk, user_id: str) -> Agent:
    agent = None
    if user_id.isdecimal() and len(user_id) < 12:
        agent = Agent.objects.filter(desk=desk, user_id=int(user_id)).first()
    if agent is None:
        raise LineError("unknown-agent", _("There is no such agent."))
    return agent
