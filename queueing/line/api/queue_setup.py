"""Routes that list, create and set up queues, with their topics and closures."""

from datetime import date
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Q
from django.http import HttpRequest
from ninja import Query, Router, Status
from ninja.params import functions as param

from poolsite.access import principal_of_request
from poolsite.api.pages import Page, PageIn, page
from poolsite.api.root import ProblemError
from poolsite.console.setting_options import values_of
from queueing.line.api.credentials import AtDesk, desk_of_request
from queueing.line.api.desks import Slug
from queueing.line.api.found import may_configure, queue_named
from queueing.line.api.queue_schemas import (
    ClosureIn,
    ClosureOut,
    ClosuresAskedIn,
    ClosuresIn,
    ClosuresOut,
    DeskQueueChangeIn,
    DeskQueueIn,
    DeskQueueOut,
    TopicSettings,
    TopicsIn,
    TopicsOut,
)
from queueing.line.api.supervising import QueueSlug
from queueing.line.models import Closure, Queue, Topic
from queueing.line.services import desk_settings, desks, hours, routing

queue_setup = Router(tags=["desk-setup"])
VIEW, CONFIGURE = AtDesk("line.view"), AtDesk("line.configure")
Day: Any = param.Path(..., description="The day, such as 2026-12-25.")


@queue_setup.get(
    "/{slug}/queues", auth=VIEW, response={200: Page[DeskQueueOut]}, summary="List a desk's queues"
)
def list_queues(request: HttpRequest, asked: Query[PageIn], slug: str = Slug) -> Any:
    """The queues of the desk, oldest first. `position` is their order on pages."""
    rows = desk_of_request(request).queues.select_related("desk__account", "overflow")
    may = may_configure(request)
    return page(request, asked, rows, lambda row: _out(row, may), oldest_first=True)


@queue_setup.post(
    "/{slug}/queues", auth=CONFIGURE, response={201: DeskQueueOut}, summary="Create a queue"
)
def create_queue(request: HttpRequest, given: DeskQueueIn, slug: str = Slug) -> Any:
    """Create a queue. Its page is open to visitors immediately."""
    desk = desk_of_request(request)
    settings = _settings(request, given.model_dump(exclude_unset=True))
    queue = desks.queue_create(actor=principal_of_request(request), desk=desk, **settings)
    return Status(201, _out(queue, True))


@queue_setup.get(
    "/{slug}/queues/{queue}",
    auth=VIEW,
    response={200: DeskQueueOut},
    summary="Get a desk's queue",
)
def get_desk_queue(request: HttpRequest, slug: str = Slug, queue: str = QueueSlug) -> Any:
    """The queue with its settings."""
    return _out(queue_named(request, queue), may_configure(request))


@queue_setup.patch(
    "/{slug}/queues/{queue}",
    auth=CONFIGURE,
    response={200: DeskQueueOut},
    summary="Change a queue",
)
def change_queue(
    request: HttpRequest, given: DeskQueueChangeIn, slug: str = Slug, queue: str = QueueSlug
) -> Any:
    """Change some of the queue's settings. They apply immediately."""
    found = queue_named(request, queue)
    changes = _settings(request, given.model_dump(exclude_unset=True))
    desks.queue_configure(actor=principal_of_request(request), queue=found, **changes)
    return _out(queue_named(request, queue), True)


# -- topics ----------------------------------------------------------------------------------------


@queue_setup.get(
    "/{slug}/queues/{queue}/topics",
    auth=CONFIGURE,
    response={200: TopicsOut},
    summary="Get a queue's topics",
)
def get_topics(request: HttpRequest, slug: str = Slug, queue: str = QueueSlug) -> Any:
    """The topics that visitors can choose, in their order."""
    return _topics_out(queue_named(request, queue))


@queue_setup.put(
    "/{slug}/queues/{queue}/topics",
    auth=CONFIGURE,
    response={200: TopicsOut},
    summary="Set a queue's topics",
)
def set_topics(
    request: HttpRequest, given: TopicsIn, slug: str = Slug, queue: str = QueueSlug
) -> Any:
    """Replace the queue's topics. They apply to the next visitor."""
    found = queue_named(request, queue)
    topics = [_topic(request, each) for each in given.topics]
    routing.topics_save(
        actor=principal_of_request(request), queue=found, topics=topics, reason=given.reason
    )
    return _topics_out(queue_named(request, queue))


def _topic(request: HttpRequest, given: TopicSettings) -> Topic:
    target = queue_named(request, given.queue) if given.queue is not None else None
    return Topic(
        text=" ".join(given.text.split()),
        texts=given.texts,
        target=target,
        skills=given.skills,
        priority=given.priority,
    )


def _topics_out(queue: Queue) -> dict[str, Any]:
    return {
        "topics": [
            {
                "text": topic.text,
                "texts": topic.texts,
                "queue": topic.target.slug if topic.target is not None else None,
                "skills": topic.skills,
                "priority": topic.priority,
            }
            for topic in routing.topics_of(queue)
        ]
    }


# -- closures --------------------------------------------------------------------------------------


@queue_setup.get(
    "/{slug}/closures", auth=CONFIGURE, response={200: Page[ClosureOut]}, summary="List closures"
)
def list_closures(request: HttpRequest, asked: Query[ClosuresAskedIn], slug: str = Slug) -> Any:
    """The days on which queues of the desk are closed or have other hours, latest entries first."""
    rows = Closure.objects.filter(queue__desk=desk_of_request(request)).select_related("queue")
    if asked.queue:
        rows = rows.filter(queue=queue_named(request, asked.queue))
    if asked.day_from is not None:
        rows = rows.filter(Q(day__gte=asked.day_from) | Q(yearly=True))
    return page(request, asked, rows, _closure_out)


@queue_setup.post(
    "/{slug}/closures", auth=CONFIGURE, response={200: ClosuresOut}, summary="Import closures"
)
def import_closures(request: HttpRequest, given: ClosuresIn, slug: str = Slug) -> Any:
    """Set the same days at several queues. Days that are already set are replaced."""
    every = desk_of_request(request).queues.select_related("desk__account")
    queues = [queue_named(request, each) for each in given.queues] or list(every)
    days = desk_settings.closures_import(
        actor=principal_of_request(request),
        queues=queues,
        days=[(each.day, each.hours, each.text) for each in given.days],
        yearly=given.yearly,
    )
    return {"days": days}


@queue_setup.put(
    "/{slug}/queues/{queue}/closures/{day}",
    auth=CONFIGURE,
    response={200: ClosureOut},
    summary="Set a closure",
)
def set_closure(
    request: HttpRequest,
    given: ClosureIn,
    slug: str = Slug,
    queue: str = QueueSlug,
    day: date = Day,
) -> Any:
    """Give the queue other hours on this day, or close it."""
    closure = desk_settings.closure_save(
        actor=principal_of_request(request),
        queue=queue_named(request, queue),
        day=day,
        spans=given.hours,
        text=given.text,
        yearly=given.yearly,
    )
    return _closure_out(closure)


@queue_setup.delete(
    "/{slug}/queues/{queue}/closures/{day}",
    auth=CONFIGURE,
    response={204: None},
    summary="Remove a closure",
)
def remove_closure(
    request: HttpRequest, slug: str = Slug, queue: str = QueueSlug, day: date = Day
) -> Any:
    """Remove the day. The weekday's hours apply again."""
    rows = Closure.objects.select_related("queue__desk__account")
    closure = rows.filter(queue=queue_named(request, queue), day=day).first()
    if closure is None:
        raise ProblemError("unknown-closure")
    desk_settings.closure_delete(actor=principal_of_request(request), closure=closure)
    return Status(204, None)


def _closure_out(row: Closure) -> dict[str, Any]:
    return {
        "queue": row.queue.slug,
        "day": row.day,
        "hours": row.hours,
        "text": row.text,
        "yearly": row.yearly,
    }


# -- settings --------------------------------------------------------------------------------------


def _settings(request: HttpRequest, given: dict[str, Any]) -> dict[str, Any]:
    """Return the settings for the services: hours cut at midnight, the overflow queue as a row."""
    if "hours" in given:
        given["hours"] = _week(given["hours"])
    if given.get("overflow") is not None:
        given["overflow"] = queue_named(request, given["overflow"])
    return given


def _week(week: dict[str, list[list[str]]]) -> dict[str, list[list[str]]]:
    stored = hours.split_at_midnight(week)
    if week and not stored:
        raise ValidationError("hours: give a time range, or {} for a queue that is always open")
    return stored


def _out(queue: Queue, may_configure: bool) -> dict[str, Any]:
    settings = None
    if may_configure:
        overflow = queue.overflow.slug if queue.overflow is not None else None
        week = hours.join_at_midnight(queue.hours)
        values = values_of(queue, desks.QUEUE_SETTINGS)
        settings = {**values, "hours": week, "overflow": overflow}
    is_open = hours.is_open(queue)
    return {"slug": queue.slug, "name": queue.name, "open": is_open, "settings": settings}
