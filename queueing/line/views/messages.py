"""Messages that visitors left: what waits for an answer, what was answered, as CSV."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from poolsite import access
from poolsite.access import Principal
from poolsite.operations.pages import principal_of
from poolsite.operations.verbs import carry_out
from queueing.line.errors import LineError
from queueing.line.models import Agent, Desk, LeftMessage
from queueing.line.services import calling, left_messages, message_calls
from queueing.line.views.common import csv_answer, desk_of, tabs

PAGE_ROWS = 50
CSV_ROWS = 10_000
STATES = ("open", "handled", "all")
KEY_LIMIT = 2**63
CSV_HEADS = (
    "id",
    "at",
    "queue",
    "name",
    "contact",
    "call back",
    "text",
    "handled at",
    "handled by",
)


@require_GET
def message_list(request: HttpRequest, slug: str) -> HttpResponse:
    """The desk's left messages, newest first; state in the address."""
    principal = principal_of(request)
    desk = desk_of(principal, slug, "line.messages")
    state, rows = _asked(request, desk)
    before = request.GET.get("before", "")
    shown = rows
    if before.isascii() and before.isdecimal() and int(before[:20]) < KEY_LIMIT:
        shown = rows.filter(pk__lt=int(before[:20]))
    page = list(shown[: PAGE_ROWS + 1])
    queue = request.GET.get("queue", "")[:40]
    open_count = LeftMessage.objects.filter(queue__desk=desk, handled_at=None).count()
    may_answer = access.decide(principal, "line.answer", desk).allowed
    agent = _agent_of(principal, desk) if may_answer and calling.can_call(desk) else None
    context = {
        **tabs(principal, desk),
        "tab": "messages",
        "agent": agent,
        "callable": {row.pk for row in page if agent is not None and _can_be_called(row)},
        "state": state,
        "states": [(value, words) for value, words in _words().items()],
        "queue": queue,
        "queues": desk.queues.all(),
        "rows": page[:PAGE_ROWS],
        "open_count": open_count,
        "none_at_all": not page and not LeftMessage.objects.filter(queue__desk=desk).exists(),
        "shown": _("%(n)s shown") % {"n": len(page[:PAGE_ROWS])},
        "next_url": _address(state, queue, page[PAGE_ROWS - 1].pk) if len(page) > PAGE_ROWS else "",
        "back_url": _address(state, queue) if before else "",
        "csv_query": _address(state, queue),
        "may_answer": may_answer,
    }
    return render(request, "line/messages.html", context)


@require_GET
def message_csv(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    """The newest 10 000 of them as a file."""
    desk = desk_of(principal_of(request), slug, "line.messages")
    state, rows = _asked(request, desk)
    return csv_answer(f"{desk.slug}-messages-{state}", CSV_HEADS, _csv_rows(rows[:CSV_ROWS]))


def _csv_rows(rows: "QuerySet[LeftMessage]") -> Iterator[list[Any]]:
    for row in rows:
        handled = row.handled_at.isoformat() if row.handled_at is not None else ""
        yield [
            *(row.pk, row.at.isoformat(), row.queue.slug, row.name, row.contact),
            *("yes" if row.wants_call else "no", row.text, handled, row.handled_by),
        ]


@require_POST
def message_act(request: HttpRequest, slug: str, message_id: int) -> HttpResponse:
    """verb=handle: it is answered; reopen: it waits again; call, end-call: by an agent's number."""
    principal = principal_of(request)
    desk = desk_of(principal, slug, "line.answer")

    def run() -> str:
        rows = LeftMessage.objects.filter(queue__desk=desk).select_related("queue__desk__account")
        message = rows.filter(pk=message_id).first() if message_id < KEY_LIMIT else None
        if message is None:
            raise LineError("unknown-message", _("Message not found."))
        verb = request.POST.get("verb")
        if verb in ("call", "end-call"):
            return _call(principal, desk, message, ends=verb == "end-call")
        if verb == "reopen":
            left_messages.message_reopen(actor=principal, message=message)
            return _("Message reopened.")
        left_messages.message_handle(actor=principal, message=message)
        return _("Message marked as handled.")

    carry_out(request, run)
    back = _address(request.GET.get("state", ""), request.GET.get("queue", "")[:40])
    response = redirect("line:messages", slug=desk.slug)
    response["Location"] += back
    return response


def _call(principal: Principal, desk: Desk, message: LeftMessage, *, ends: bool) -> str:
    agent = _agent_of(principal, desk)
    if agent is None:
        raise LineError("unknown-agent", _("Only agents of this desk can call visitors."))
    if ends:
        message_calls.message_call_end(actor=principal, agent=agent, message=message)
        return _("The call has ended.")
    call = message_calls.message_call(actor=principal, agent=agent, message=message)
    return _("Call %(callee)s from %(number)s") % {"callee": call.callee, "number": call.number}


def _agent_of(principal: Principal, desk: Desk) -> Agent | None:
    rows = Agent.objects.select_related("desk").filter(desk=desk, archived_at=None)
    return rows.filter(user_id=principal.user_id or 0).first()


def _can_be_called(row: LeftMessage) -> bool:
    try:
        return bool(calling.dialled(row.contact))
    except LineError:
        return False


def _asked(request: HttpRequest, desk: Desk) -> tuple[str, "QuerySet[LeftMessage]"]:
    state = request.GET.get("state", "open")
    state = state if state in STATES else "open"
    rows = LeftMessage.objects.filter(queue__desk=desk).select_related("queue", "call__agent")
    rows = rows.order_by("-pk")
    if state != "all":
        rows = rows.filter(handled_at__isnull=state == "open")
    queue = request.GET.get("queue", "")[:40]
    return state, rows.filter(queue__slug=queue) if queue else rows


def _words() -> dict[str, str]:
    return {"open": _("Awaiting reply"), "handled": _("Handled"), "all": _("All")}


def _address(state: str, queue: str, before: int | None = None) -> str:
    given = {"state": state if state in STATES else "", "queue": queue, "before": before or ""}
    return "?" + urlencode({name: value for name, value in given.items() if value})
