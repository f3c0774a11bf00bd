"""The wallboard of any past minute."""

from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from poolsite.console.days import day_of
from poolsite.console.pages import principal_of
from queueing.line import definitions
from queueing.line.models import Desk
from queueing.line.selectors import replay
from queueing.line.services.common import zone_of
from queueing.line.views.common import desk_of, tabs

MINUTE = timedelta(minutes=1)
LATEST_MS = 4_102_444_800_000  # the year 2100: times beyond it, or below 0, are invalid


@require_GET
def replay_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a day of the desk with its slider, at `at` (ISO 8601) or the last minute of `day`."""
    principal = principal_of(request)
    desk = desk_of(principal, slug)
    now = timezone.now().replace(second=0, microsecond=0)
    at = _moment(request, desk, now)
    first, last = _day(desk, at, now)
    page = {
        "first": _ms(first),
        "minutes": replay.minutes(desk, first, last + MINUTE),
        "board": replay.board_at(desk, at),
        "board_url": request.path + "board/",
    }
    context: dict[str, Any] = {
        **tabs(principal, desk),
        **definitions.of_board(),
        "page": page,
        "day": at.astimezone(_zone(desk)).date(),
        "today": now.astimezone(_zone(desk)).date(),
        "zone": zone_of(desk),
        "most": round((last - first) / MINUTE),
        "value": round((at - first) / MINUTE),
    }
    return render(request, "line/replay.html", context)


@require_GET
def replay_board(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the board at `at`, in ms since 1970. Future or invalid times mean now."""
    desk = desk_of(principal_of(request), slug)
    text = request.GET.get("at", "")
    now = timezone.now()
    at = now
    if text.isascii() and text.isdecimal() and len(text) < 15 and int(text) < LATEST_MS:
        at = min(now, datetime.fromtimestamp(int(text) / 1000, UTC))
    return JsonResponse(replay.board_at(desk, at))


def _moment(request: HttpRequest, desk: Desk, now: datetime) -> datetime:
    """Return the requested minute, never in the future."""
    try:
        at = datetime.fromisoformat(request.GET.get("at", "")[:32])
    except ValueError:
        day = day_of(request.GET.get("day", ""))
        if day is None:
            return now
        at = datetime.combine(day, time(23, 59), _zone(desk))
    if at.tzinfo is None:
        at = at.replace(tzinfo=_zone(desk))
    return min(at.astimezone(UTC).replace(second=0, microsecond=0), now)


def _day(desk: Desk, at: datetime, now: datetime) -> tuple[datetime, datetime]:
    """Return the first and the last whole minute of the moment's day, up to now."""
    zone = _zone(desk)
    day = at.astimezone(zone).date()
    first = datetime.combine(day, time.min, zone).astimezone(UTC)
    after = datetime.combine(day + timedelta(days=1), time.min, zone).astimezone(UTC)
    return first, min(after - MINUTE, now)


def _zone(desk: Desk) -> ZoneInfo:
    return ZoneInfo(zone_of(desk))


def _ms(at: datetime) -> int:
    return int(at.timestamp() * 1_000)
