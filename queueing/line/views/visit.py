"""A queue's public page: join, wait, talk. Anyone may open it; the rest needs the visit's token."""

from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from queueing.line.desk import QueueFigures
from queueing.line.models import Queue
from queueing.line.selectors import consoles
from queueing.line.selectors.attachments import files_policy
from queueing.line.selectors.desks import desk_rows
from queueing.line.selectors.widgets import widget_of
from queueing.line.services import hours
from queueing.line.services.languages import SHORT, known_language
from queueing.line.views.widget import may_be_framed

LANGUAGE_PATH = "/q/"  # visitors' pages only, not the console


@require_GET
def visit_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the page of a queue. 404 if it does not exist.

    `?lang`: switch to this language. `?widget`: show it as a frame on the tenant's site.
    """
    queue = Queue.objects.select_related("desk", "desk__account").filter(slug=slug).first()
    if queue is None:
        raise Http404
    house = queue.desk.house
    language = known_language(request.GET.get("lang", ""))
    if language:  # kept in the URL, because frames may have no cookies
        translation.activate(language)
        request.LANGUAGE_CODE = language
    page = {
        **consoles.queue_out(queue),
        "language": translation.get_language() or "",
        "files": files_policy(queue.desk),
    }
    context = {
        "queue": queue,
        "house": house,
        "page": page,
        "opens_at": page["opens_at"],
        "opening_hours": _week(queue),
        "in_line": _in_line(queue),
        "languages": _languages(request),
        "stars": [
            {"value": n, "words": ngettext("%(n)s star", "%(n)s stars", n) % {"n": n}}
            for n in range(1, 6)
        ],
    }
    if "widget" in request.GET:
        widget = widget_of(queue.desk)
        queue.welcome = widget.greeting or queue.welcome  # for this page only; not saved
        page["widget"] = {"colour": widget.colour, "origins": widget.origins}
        context["widget"] = widget
    answer = render(request, "line/visit.html", context)
    if "widget" in request.GET:
        may_be_framed(answer, queue.desk)
    return _remembered(answer, language)


def _remembered(answer: HttpResponse, language: str) -> HttpResponse:
    """Store the chosen language in a cookie for the next visit ("" if none was chosen)."""
    if language:
        answer.set_cookie(
            settings.LANGUAGE_COOKIE_NAME,
            language,
            max_age=settings.LANGUAGE_COOKIE_AGE,
            path=LANGUAGE_PATH,
            secure=settings.LANGUAGE_COOKIE_SECURE,
            httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
            samesite="Lax",
        )
    return answer


def _languages(request: HttpRequest) -> list[dict[str, str]]:
    """Return the links to the page in each language, with the URL's other parameters."""
    shown = []
    for code, name in settings.LANGUAGES:
        query = request.GET.copy()
        query["lang"] = code
        short = SHORT.get(code, code.upper())
        shown.append({"code": code, "name": name, "short": short, "query": query.urlencode()})
    return shown


def _in_line(queue: Queue) -> QueueFigures | None:
    """Return how many wait and are free, shown before joining; None while Redis is unavailable."""
    figures = desk_rows([queue.desk])[0].figures
    return figures.queues.get(queue.pk) if figures is not None else None


def _week(queue: Queue) -> list[dict[str, Any]]:
    """Return the next seven days with their hours, or [] for a queue that is always open."""
    today = timezone.now().astimezone(ZoneInfo(hours.queue_zone(queue))).date()
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
