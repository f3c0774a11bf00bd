"""The history: who did what to which thing, from what to what, and why."""

from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from poolsite.access import selectors
from poolsite.access.views.common import actor_of, asks, page_key

OLDEST_YEAR, LATEST_YEAR = 1970, 9000  # beyond, the edges of datetime itself come near
FILTERS = ("thing_kind", "thing_id", "actor", "action", "account", "job")


@never_cache
@require_GET
@asks("access.history_view")
def history(request: HttpRequest) -> HttpResponseBase:
    """The audit log with filters in the URL, newest first."""
    wanted = {name: request.GET.get(name, "").strip()[:200] for name in FILTERS}
    days = {name: request.GET.get(name, "").strip()[:10] for name in ("since", "until")}
    rows = selectors.history(
        actor_of(request),
        **{name: value.replace("\x00", "") for name, value in wanted.items()},
        since=_midnight(days["since"]),
        until=_after(days["until"]),
    )
    page = selectors.page_of(rows, page_key(request, "older"), page_key(request, "newer"))
    kept = {name: value for name, value in {**wanted, **days}.items() if value}
    context = {
        "page": page,
        "rows": [(entry, _shown(entry.before), _shown(entry.after)) for entry in page.rows],
        "filters": {**wanted, **days},
        "chips": _chips(kept),
        "query": urlencode(kept),
    }
    return render(request, "access/history.html", context)


def _chips(kept: dict[str, str]) -> list[dict[str, str]]:
    """One chip per filter, with the address that leaves it out."""
    return [
        {
            "name": name,
            "value": value,
            "without": urlencode({key: each for key, each in kept.items() if key != name}),
        }
        for name, value in kept.items()
    ]


def _shown(values: dict[str, Any] | None) -> list[tuple[str, str]]:
    """What an entry holds, in words: lists as lists, yes and no, nothing left out but blanks."""
    return [(name, _word(value)) for name, value in (values or {}).items() if value not in ("", [])]


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return str(_("yes") if value else _("no"))
    if isinstance(value, list):
        return ", ".join(map(_word, value))
    return "–" if value is None else str(value)


def _midnight(day: str) -> datetime | None:
    """The start of a day in the reader's zone; None when it is not a date."""
    try:
        parsed = parse_date(day)
    except ValueError:
        return None
    if parsed is None or not OLDEST_YEAR <= parsed.year <= LATEST_YEAR:
        return None
    return timezone.make_aware(datetime(parsed.year, parsed.month, parsed.day))  # noqa: DTZ001


def _after(day: str) -> datetime | None:
    start = _midnight(day)
    return None if start is None else start + timedelta(days=1)
