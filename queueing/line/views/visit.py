"""A queue's public page: join, wait, talk. Everybody may open it; the rest is the visit's token."""

from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from queueing.line.models import Queue
from queueing.line.selectors import consoles
from queueing.line.selectors.widgets import widget_of
from queueing.line.services import hours
from queueing.line.services.common import zone_of
from queueing.line.views.widget import may_be_framed


@require_GET
def visit_page(request: HttpRequest, slug: str) -> HttpResponse:
    """The page of a queue; 404 for an unknown one. `?widget`: as a frame on the tenant's site."""
    queue = Queue.objects.select_related("desk", "desk__account").filter(slug=slug).first()
    if queue is None:
        raise Http404
    account = queue.desk.account
    house = account.name if account is not None else queue.desk.name
    page = consoles.queue_out(queue)
    context = {
        "queue": queue,
        "house": house,
        "initials": "".join(word[0] for word in house.split()[:2]).upper(),
        "page": page,
        "opens_at": page["opens_at"],
        "opening_hours": _week(queue),
        "stars": [
            {"value": n, "words": ngettext("%(n)s star", "%(n)s stars", n) % {"n": n}}
            for n in range(1, 6)
        ],
    }
    if "widget" not in request.GET:
        return render(request, "line/visit.html", context)
    widget = widget_of(queue.desk)
    queue.welcome = widget.greeting or queue.welcome  # for this page; it is not saved
    page["widget"] = {"colour": widget.colour, "origins": widget.origins}
    answer = render(request, "line/visit.html", {**context, "widget": widget})
    may_be_framed(answer, queue.desk)
    return answer


def _week(queue: Queue) -> list[dict[str, Any]]:
    """The next seven days with their hours; [] for a queue that is open at all hours."""
    today = timezone.now().astimezone(ZoneInfo(zone_of(queue.desk))).date()
    days = [today + timedelta(days=ahead) for ahead in range(7)]
    spans = [hours.spans_of(queue, day) for day in days]
    if all(each is None for each in spans):
        return []
    return [
        {"name": date_format(day, "l"), "hours": _words(each)}
        for day, each in zip(days, spans, strict=True)
    ]


def _words(spans: list[hours.Span] | None) -> str:
    if spans is None:
        return _("all day")
    if not spans:
        return _("closed")
    return ", ".join(
        f"{begin:%H:%M}–{'24:00' if end.hour == 23 and end.second else f'{end:%H:%M}'}"
        for begin, end in spans
    )
