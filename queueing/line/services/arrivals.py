"""Arrivals at a queue's page: find the right queue, then admit or refuse the visitor."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from queueing.line.errors import LineError
from queueing.line.models import Queue
from queueing.line.services import hours, identities, routing, visits
from queueing.line.services.desks import apply_queue
from queueing.line.tokens import visitor_key

logger = logging.getLogger(__name__)
NO_NUMBER_LEFT = "malformed skills"  # the desk already uses 99 sets of skills


@dataclass(frozen=True, slots=True)
class Arriving:
    """What a visitor sends when they arrive.

    identity: the signed token. visitor_key: as made by tokens.visitor_key. priority and skills:
    chosen by a program, never by a visitor.
    """

    name: str = ""
    topic: str = ""
    contact: str = ""
    language: str = ""
    identity: str = ""
    visitor_key: str = ""
    address: str = ""
    priority: int | None = None
    skills: Mapping[str, int] = field(default_factory=dict)
    anyway: bool = False


def visitor_arrive(
    *, queue: Queue, coming: Arriving, run: visits.JoinRunner = visits.join_alone
) -> visits.Joined:
    """Return the visit of a visitor who arrives at this queue's page.

    The topic or the token chooses the queue. A person named by a token has one running visit at a
    desk; that visit is returned. Raise LineError bad-token, or any LineError of visit_join; `queue`
    in the error names the queue that refused.
    """
    identity = None
    if coming.identity:
        identity = identities.identity_read(queue.desk, coming.identity)
    route = routing.route_of(queue, topic=coming.topic, language=coming.language, identity=identity)
    public_id, running = "", None
    if identity is not None:
        public_id, running = identities.visit_of(queue.desk, identity.subject)
    if running is not None:
        return running
    if not hours.is_open(route.queue):
        raise closed(route.queue)
    try:
        return _join(route, coming, identity, public_id, run)
    except LineError as error:
        if route.queue.pk != queue.pk:
            error.more = {**error.more, "queue": route.queue.slug}
        raise


def closed(queue: Queue) -> LineError:
    """Return the refusal of a closed queue, with the time at which it opens."""
    opens = hours.next_opening(queue)
    return LineError(
        "queue-closed",
        queue.closed_text[:300] or _("This queue is closed now."),
        queue=queue.slug,
        queue_name=queue.name,
        opens_at=opens.isoformat() if opens is not None else None,
        zone=hours.queue_zone(queue),
    )


def _join(
    route: routing.Route,
    coming: Arriving,
    identity: identities.Identity | None,
    public_id: str,
    run: visits.JoinRunner,
) -> visits.Joined:
    skills = routing.merged(route.skills, coming.skills)
    key = coming.visitor_key
    if identity is not None:  # the same person on every device
        key = visitor_key(route.queue.desk, identity.subject, by_machine=True)

    def join(skills: Mapping[str, int]) -> visits.Joined:
        return visits.visit_join(
            queue=route.queue,
            name=(identity.name if identity is not None else "") or coming.name,
            topic=route.topic,
            contact=(identity.contact if identity is not None else "") or coming.contact,
            address=coming.address,
            language=coming.language,
            visitor_key=key,
            priority=route.priority if coming.priority is None else coming.priority,
            skills=skills,
            anyway=coming.anyway,
            public_id=public_id,
            subject=identity.subject if identity is not None else "",
            run=run,
        )

    try:
        return join(skills)
    except LineError as error:
        if error.kind == "queue-closed" and hours.is_open(route.queue):
            # The queue opened within this minute. The sweep that updates the desk has not run yet.
            apply_queue(route.queue)
            return join(skills)
        if error.detail == NO_NUMBER_LEFT and not coming.skills:
            logger.warning("line: desk %s knows 99 sets of skills", route.queue.desk.slug)
            return join({})  # any agent is better than none
        raise
