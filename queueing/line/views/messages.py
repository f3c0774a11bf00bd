"""Messages that visitors left: unanswered, answered, as CSV."""

from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from poolsite import access
from poolsite.access import Principal
from poolsite.console.days import span
from poolsite.console.lists import address
from poolsite.console.pages import principal_of
from poolsite.console.tables import Term, key_of, page_of
from poolsite.console.verbs import carry_out
from queueing.line.errors import LineError
from queueing.line.models import Agent, Desk, LeftMessage
from queueing.line.selectors.messages import with_text
from queueing.line.services import calling, left_messages, message_calls
from queueing.line.views.common import csv_answer, desk_of, tabs

PAGE_ROWS = 50
OLDEST_FIRST = (Term("at"), Term("pk"))
NEWEST_FIRST = (Term("at", falling=True), Term("pk", falling=True))
CSV_ROWS = 10_000
STATES = ("open", "handled", "all")
FILTERS = ("state", "queue", "q", "from", "until", "sort")
OLDEST = "oldest"
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
    """Show the desk's left messages, newest first. The URL holds the filters."""
    principal = principal_of(request)
    desk = desk_of(principal, slug, "line.messages")
    given, rows = _asked(request.GET, desk)
    before = key_of(request, "before")
    order = OLDEST_FIRST if given["sort"] == OLDEST else NEWEST_FIRST
    page = page_of(rows, order, after=before, size=PAGE_ROWS)
    open_count = LeftMessage.objects.filter(queue__desk=desk, handled_at=None).count()
    may_answer = access.decide(principal, "line.answer", desk).allowed
    agent = _agent_of(principal, desk) if may_answer and calling.can_call(desk) else None
    context = {
        **tabs(principal, desk),
        "tab": "messages",
        "agent": agent,
        "callable": {row.pk for row in page.rows if agent is not None and _can_be_called(row)},
        **given,
        "by_time": _address({**given, "sort": "" if given["sort"] == OLDEST else OLDEST}),
        "narrowed": any(given[name] for name in ("q", "queue", "from", "until")),
        "from_day": given["from"],
        "most_day": timezone.localdate(),
        "states": [(value, words) for value, words in _words().items()],
        "queues": desk.queues.all(),
        "rows": page.rows,
        "open_count": open_count,
        "none_at_all": not page.rows and not LeftMessage.objects.filter(queue__desk=desk).exists(),
        "shown": _("%(n)s shown") % {"n": len(page.rows)},
        "next_url": _address({**given, "before": str(page.after)}) if page.after else "",
        "back_url": _address(given) if before else "",
        "csv_query": _address(given),
        "may_answer": may_answer,
    }
    return render(request, "line/messages.html", context)


@require_GET
def message_csv(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    """Return the first 10,000 matching messages as CSV."""
    desk = desk_of(principal_of(request), slug, "line.messages")
    given, rows = _asked(request.GET, desk)
    return csv_answer(
        f"{desk.slug}-messages-{given['state']}", CSV_HEADS, _csv_rows(rows[:CSV_ROWS])
    )


def _csv_rows(rows: "QuerySet[LeftMessage]") -> Iterator[list[Any]]:
    for row in rows:
        handled = row.handled_at.isoformat() if row.handled_at is not None else ""
        yield [
            *(row.pk, row.at.isoformat(), row.queue.slug, row.name, row.contact),
            *("yes" if row.wants_call else "no", row.text, handled, row.handled_by),
        ]


@require_POST
def message_act(request: HttpRequest, slug: str, message_id: int) -> HttpResponse:
    """Run `verb`: handle, reopen, call (through a number of the pool) or end-call."""
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
    back = _address(_asked(request.GET, desk)[0])
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


def _asked(asked: QueryDict, desk: Desk) -> tuple[dict[str, str], "QuerySet[LeftMessage]"]:
    """Return the URL's filters and the messages that match."""
    given = {name: asked.get(name, "").replace("\x00", "").strip()[:40] for name in FILTERS}
    given["state"] = given["state"] if given["state"] in STATES else "open"
    given["sort"] = OLDEST if given["sort"] == OLDEST else ""
    rows = LeftMessage.objects.filter(queue__desk=desk).select_related("queue", "call__agent")
    rows = rows.order_by(*(("at", "pk") if given["sort"] else ("-at", "-pk")))
    if given["state"] != "all":
        rows = rows.filter(handled_at__isnull=given["state"] == "open")
    if given["queue"]:
        rows = rows.filter(queue__slug=given["queue"])
    if text := given["q"]:
        rows = with_text(rows, text)
    since, until = span(given["from"], given["until"])
    if since is None:
        given["from"] = ""
    else:
        rows = rows.filter(at__gte=since)
    if until is None:
        given["until"] = ""
    else:
        rows = rows.filter(at__lt=until)
    return given, rows


def _words() -> dict[str, str]:
    return {"open": _("Not handled"), "handled": _("Handled"), "all": _("All")}


def _address(given: dict[str, str]) -> str:
    return address({**given, "state": "" if given["state"] == "open" else given["state"]})
