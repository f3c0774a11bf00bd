"""For supervisors and operators: all desks, and one desk's wallboard with its verbs."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from poolsite import access, hotpath
from poolsite.access import Principal
from poolsite.hotpath.rows import with_figures
from poolsite.operations import lists
from poolsite.operations.lists import Column
from poolsite.operations.pages import principal_of
from poolsite.operations.verbs import carry_out
from queueing.line import desk as door
from queueing.line.errors import LineError
from queueing.line.forms import DeskCreateForm
from queueing.line.models import Agent, Desk, Visit
from queueing.line.selectors import wallboard
from queueing.line.services import desks as use
from queueing.line.services import rooms
from queueing.line.views.common import desk_of, tabs, visible_desks

LINE_ROWS = 50


@dataclass(frozen=True, slots=True)
class DeskRow:
    """A desk and its figures; None = Redis cannot say at the moment."""

    desk: Desk
    figures: door.DeskFigures | None

    @property
    def status(self) -> str:
        return self.figures.status if self.figures is not None else "missing"

    @property
    def waiting(self) -> int | None:
        return self._sum("waiting")

    @property
    def free(self) -> int | None:
        return self._sum("free")

    @property
    def queues(self) -> int | None:
        return len(self.figures.queues) if self.figures is not None else None

    @property
    def oldest_us(self) -> int:
        """The arrival of who waits longest; 0 = nobody waits."""
        queues = self.figures.queues.values() if self.figures is not None else ()
        return min((queue.oldest_us for queue in queues if queue.oldest_us), default=0)

    def _sum(self, name: str) -> int | None:
        if self.figures is None:
            return None
        counts: list[int] = [getattr(queue, name) for queue in self.figures.queues.values()]
        return sum(counts)


def desk_rows(desks: list[Desk]) -> list[DeskRow]:
    """The desks with their figures, read at once; a page stands while Redis is away."""
    return [DeskRow(*each) for each in with_figures(desks, door.show, patient=True)]


@require_GET
def desk_list(request: HttpRequest) -> HttpResponse:
    """Every desk that the reader may watch, with its figures."""
    principal = principal_of(request)
    access.require(principal, "line.view")
    may_create = access.decide(principal, "line.create").allowed
    form = DeskCreateForm() if may_create else None
    context = _list(request, principal, form)
    if request.GET.get("format") == "csv":
        return lists.csv_answer("desks", _columns(), context["rows"])
    return render(request, "line/desks.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def desk_create(request: HttpRequest) -> HttpResponse:
    """Make a desk, then show its settings: queues and agents come next."""
    principal = principal_of(request)
    access.require(principal, "line.create")
    form = DeskCreateForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            desk = use.desk_create(actor=principal, **form.cleaned_data)
        except ValidationError as error:
            form.add_error(None, ValidationError(error.messages))
        else:
            words = _("Desk %(name)s is there. Make its first queue next.")
            messages.success(request, words % {"name": desk.name})
            return redirect("line:settings", slug=desk.slug)
    context = {**_list(request, principal, form), "open_form": True}
    return render(request, "line/desks.html", context, status=422 if form.is_bound else 200)


def _list(
    request: HttpRequest, principal: Principal, form: DeskCreateForm | None
) -> dict[str, Any]:
    page = lists.page_of(request, visible_desks(principal), kind="desk")
    rows = lists.ordered(desk_rows(page.rows), _columns(), page.sort)
    words = ngettext("%(n)s desk", "%(n)s desks", page.total)
    return {
        "rows": rows,
        "page": page,
        "heads": lists.heads(_columns(), page.sort),
        "total_words": words % {"n": f"{page.total:,}"},
        "shown": _("%(count)s of %(total)s desks") % {"count": len(rows), "total": page.total},
        "next_url": page.next_url,
        "back_url": page.back_url,
        "create_form": form,
    }


def _columns() -> list[Column[DeskRow]]:
    return [
        Column("desk", _("Desk"), lambda row: row.desk.name, right=False),
        Column("queues", _("Queues"), lambda row: row.queues),
        Column("waiting", _("Waiting"), lambda row: row.waiting),
        Column("free", _("Free agents"), lambda row: row.free),
    ]


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
    visits = Visit.objects.filter(desk=desk, ended_at=None).select_related("agent", "queue")
    said = visits.in_bulk(field_name="public_id")
    running = [row for row in said.values() if row.matched_at is not None and row.agent_id]
    context = {
        **tabs(principal, desk),
        "tab": "floor",
        "lines": lines,
        "said": said,
        "running": sorted(running, key=lambda row: row.matched_at or row.joined_at)[:200],
        "agents": Agent.objects.filter(desk=desk, archived_at=None).select_related("user"),
        "topic": f"line.desk:{desk.slug}",
    }
    return render(request, "line/floor.html", context)


@require_POST
def act(request: HttpRequest, slug: str) -> HttpResponse:
    """One of a supervisor's verbs: end, move, take_over, log_out. Says what was done."""
    principal = principal_of(request)
    desk = desk_of(principal, slug, "line.supervise")
    carry_out(request, lambda: _act(principal, desk, request))
    back = request.POST.get("back", "")[:32]
    if back and Visit.objects.filter(desk=desk, public_id=back).exists():
        return redirect("line:story", slug=desk.slug, visit=back)
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
