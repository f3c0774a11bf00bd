"""Number health in the API: figures, worst numbers, and reports of spam labels."""

from typing import Any

from django.http import HttpRequest
from django.utils import timezone

from numbers.api.common import Slug, pool_of, router
from numbers.api.health_schemas import (
    HealthGroupOut,
    NumberHealthOut,
    PoolHealthOut,
    RefusedLabel,
    SpamLabelsIn,
    SpamLabelsOut,
    WindowName,
    WorstNumbersOut,
    figures_out,
)
from numbers.models import Window
from numbers.selectors import health
from numbers.selectors.health import GroupHealth, HealthFilter, NumberHealthRow
from numbers.services.spam_labels import spam_labels_add
from poolsite import access
from poolsite.access import principal_of_request
from poolsite.api.root import ProblemError
from poolsite.moments import iso


@router.get("/{slug}/health", response={200: PoolHealthOut}, summary="Get a pool's health")
def get_pool_health(request: HttpRequest, slug: str = Slug, window: WindowName = "24h") -> Any:
    """Answer rate, talk time, short and unanswered calls, by switch and by region."""
    pool = pool_of(principal_of_request(request), slug)
    found = health.pool_health(pool, Window(window), timezone.now())
    return PoolHealthOut(
        window=window,
        short_call_seconds=pool.short_call_seconds,
        figures=figures_out(found.figures),
        switches=[_group_out(group) for group in found.switches],
        regions=[_group_out(group) for group in found.regions],
    )


@router.get(
    "/{slug}/health/numbers",
    response={200: WorstNumbersOut},
    summary="List the worst numbers",
)
def list_worst_numbers(
    request: HttpRequest,
    slug: str = Slug,
    window: WindowName = "24h",
    region: str = "",
    switch: str = "",
    after: str = "",
) -> Any:
    """Numbers by answer rate, lowest first, 25 per page."""
    pool = pool_of(principal_of_request(request), slug)
    if any(not text.isprintable() or len(text) > 80 for text in (region, switch, after)):
        raise ProblemError("malformed", "region, switch, after: up to 80 printable characters")
    page = health.worst_numbers(pool, HealthFilter(Window(window), region, switch), after)
    return WorstNumbersOut(numbers=[_number_out(row) for row in page.rows], next=page.next)


@router.post(
    "/{slug}/spam-labels",
    response={200: SpamLabelsOut},
    summary="Report spam labels",
)
def post_spam_labels(request: HttpRequest, body: SpamLabelsIn, slug: str = Slug) -> Any:
    """Report up to 1,000 labels. Reports can be repeated: a label with the same time is stored
    once. Labels that are not accepted are listed; the others are stored.
    """
    principal = principal_of_request(request)
    pool = pool_of(principal, slug)
    access.require(principal, "numbers.label", pool)
    done = spam_labels_add(
        actor=principal,
        pool=pool,
        rows=enumerate(label.model_dump() for label in body.labels),
    )
    return SpamLabelsOut(
        added=done.added,
        known=done.known,
        refused=[RefusedLabel(item=each.row, reason=each.reason) for each in done.refused],
    )


def _group_out(group: GroupHealth) -> HealthGroupOut:
    return HealthGroupOut(key=group.key, figures=figures_out(group.figures))


def _number_out(row: NumberHealthRow) -> NumberHealthOut:
    until = row.held.until if row.held is not None else None
    return NumberHealthOut(
        number=row.number,
        region=row.region,
        switch=row.switch,
        figures=figures_out(row.figures),
        spam_sources=row.label_sources,
        quarantined=row.quarantined,
        rests_until=iso(until),
    )
