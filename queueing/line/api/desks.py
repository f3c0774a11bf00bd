"""A desk's routes for staff and external systems: report, wallboard, erasure."""

from dataclasses import asdict
from datetime import UTC, date, datetime
from typing import Any, Literal

from django.http import HttpRequest
from django.utils import timezone
from ninja import Router
from ninja.params import functions as param

from poolsite.access import principal_of_request
from poolsite.api.paths import slug_in_path
from poolsite.api.root import ProblemError
from queueing.line.api.answers_desk import BoardOut, ErasedOut, ReportOut
from queueing.line.api.credentials import AtDesk, desk_of_request
from queueing.line.schemas import EraseIn
from queueing.line.selectors import replay, wallboard
from queueing.line.selectors.report_data import report_as_data
from queueing.line.selectors.report_span import span_of
from queueing.line.services import erasing

desks = Router(tags=["line"])
VIEW, ERASE = AtDesk("line.view"), AtDesk("line.erase")
Slug = slug_in_path("The desk's slug.")
FROM: Any = param.Query(None, alias="from", description="The first day.")
UNTIL: Any = param.Query(None, alias="until", description="The last day.")
LATEST_MS = 4_102_444_800_000


@desks.get(
    "/{slug}/report",
    auth=VIEW,
    response={200: ReportOut},
    summary="Get a desk's report",
)
def get_report(
    request: HttpRequest,
    slug: str = Slug,
    by: Literal["time", "queue", "agent"] = "time",
    first: date | None = FROM,
    last: date | None = UNTIL,
    queue: str = param.Query("", max_length=40),
) -> Any:
    """Up to 93 whole days in the desk's time zone: up to three by the hour, more by the day."""
    desk = desk_of_request(request)
    now = timezone.now()
    span = span_of(desk, first, last, now)
    only = desk.queues.filter(slug=queue).first() if queue else None
    if queue and only is None:
        raise ProblemError("unknown-queue")
    return report_as_data(desk, span, by, queue=only, now=now)


@desks.get(
    "/{slug}/board",
    auth=VIEW,
    response={200: BoardOut},
    summary="Get a desk's wallboard",
)
def get_board(
    request: HttpRequest,
    slug: str = Slug,
    at: int | None = param.Query(None, ge=0, lt=LATEST_MS),
) -> Any:
    """The wallboard now, or as it was `at` a past time (ms since 1970)."""
    desk = desk_of_request(request)
    if at is None:
        return wallboard.board(desk)
    return replay.board_at(desk, min(timezone.now(), datetime.fromtimestamp(at / 1_000, UTC)))


@desks.post(
    "/{slug}/erasures",
    auth=ERASE,
    response={200: ErasedOut},
    summary="Erase a visitor's data",
)
def post_erasure(request: HttpRequest, given: EraseIn, slug: str = Slug) -> Any:
    """Erase one visit, or all visits and left messages of a phone number or email, permanently.

    Refused while such a visit is running. The audit log records the reason, but no name.
    """
    desk = desk_of_request(request)
    done = erasing.visitor_erase(
        actor=principal_of_request(request),
        desk=desk,
        visit=given.visit or "",
        contact=given.contact,
        reason=given.reason,
    )
    return asdict(done)
