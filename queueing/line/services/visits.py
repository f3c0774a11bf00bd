"""A visitor's side: joining, being there, leaving, with the place held over everything."""

import base64
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from poolsite import hotpath, live
from poolsite.access.services import visitor_end
from poolsite.moments import moment_of, us_of
from queueing.line import desk as door
from queueing.line.errors import LineError
from queueing.line.models import BlockedVisitor, Desk, Queue, Rating, Visit
from queueing.line.services import estimates, keeping
from queueing.line.services.beats import visit_beat
from queueing.line.services.common import clean
from queueing.line.services.languages import known_language
from queueing.line.tokens import LinePlace, sign_place, token_for

JOINS_PER_ADDRESS = 20  # running visits from one network address at one desk
RATING_CHANGES = timedelta(hours=1)  # after the first one
AGAIN = timedelta(minutes=10)  # after a room ended while its visitor was away
REFUSALS: Mapping[str, tuple[str, str]] = {
    "closed": ("queue-closed", "This queue is closed now."),
    "full": ("queue-full", "Too many visitors are waiting. Please come again later."),
    "no_agent": ("no-agent", "Nobody is here to serve you now."),
}
REBUILT = ("unavailable", "This queue is being restored. Try again in a moment.")


JoinRunner = Callable[[str, door.Join], door.Standing]  # by the desk's slug


@dataclass(frozen=True, slots=True)
class Joined:
    """A visit that stands in the line or in a room, with what its visitor must keep."""

    visit: Visit
    standing: door.Standing
    token: str
    place: str
    estimate: estimates.Estimate | None = None
    more: Mapping[str, Any] = field(default_factory=dict)


def join_alone(desk: str, coming: door.Join) -> door.Standing:
    """Have one visitor join by a command of its own."""
    return hotpath.run(coming.command(desk))


def visit_join(
    *,
    queue: Queue,
    name: str = "",
    topic: str = "",
    contact: str = "",
    address: str = "",
    language: str = "",
    visitor_key: str = "",
    priority: int = 5,
    skills: Mapping[str, int] | None = None,
    anyway: bool = False,
    public_id: str = "",
    arrived_us: int | None = None,
    subject: str = "",
    run: JoinRunner = join_alone,
) -> Joined:
    """A new visit. LineError: queue-closed, queue-full, no-agent, visitor-blocked; nothing made.

    arrived_us: the arrival whose place it has, and public_id, under which it is made once. run:
    how the join reaches the desk. subject: who it is by a token of the customer's own system.
    """
    desk = queue.desk
    _refuse_blocked(desk, address)
    public_id = public_id or new_visit_id()
    coming = door.Join(public_id, queue.pk, priority, skills or {}, arrived_us, anyway)
    standing = run(desk.slug, coming)
    keeping.heard(desk.slug)
    if not standing.is_there:
        raise refusal(standing)
    estimate = estimates.estimate(standing)
    visit = _row(standing, desk, public_id)
    visit.name, visit.topic = clean(name, 80), clean(topic, 80)
    visit.contact, visit.address = clean(contact, 120), address[:45]
    visit.language, visit.visitor_key = known_language(language), visitor_key
    visit.skills, visit.verified_subject = dict(skills or {}), subject
    if estimate is not None and standing.answer == "waiting":
        visit.predicted_low_seconds = estimate.low_seconds
        visit.predicted_high_seconds = estimate.high_seconds
        visit.expected_seconds = estimate.expected_seconds
    _save(visit)
    _tell_who_came(queue, standing)
    return Joined(visit, standing, token_for(visit), place_proof(visit, standing), estimate)


def visit_join_again(
    *, queue: Queue, visit: str, address: str = "", run: JoinRunner = join_alone
) -> Joined | None:
    """Whose room ended while they were away join at the head, by their first arrival; once.

    None: the visit did not end so, at this desk, within AGAIN. LineError and `run` as of
    visit_join.
    """
    lost = Visit.objects.filter(desk=queue.desk, public_id=visit).first()
    if lost is None or visit_beat(desk=queue.desk, visit=visit).word != Visit.Outcome.VISITOR_LOST:
        return None  # asked of the desk: SQL may not have the end yet
    if lost.ended_at is not None and lost.ended_at <= timezone.now() - AGAIN:
        return None
    digest = salted_hmac("queueing.line.again", visit).digest()
    public_id = base64.b64encode(digest[:9], b"AB").decode()
    if visit_beat(desk=queue.desk, visit=public_id).answer == "ended":
        return None
    return visit_join(
        queue=queue,
        name=lost.name,
        topic=lost.topic,
        contact=lost.contact,
        address=address,
        language=lost.language,
        visitor_key=lost.visitor_key,
        priority=lost.priority,
        skills=lost.skills,
        subject=lost.verified_subject,
        public_id=public_id,
        arrived_us=us_of(lost.joined_at),
        run=run,
    )


def rejoined(visit: Visit, standing: door.Standing) -> Joined:
    """A running visit as its visitor gets it anew, with a fresh token."""
    return Joined(visit, standing, token_for(visit), place_proof(visit, standing))


def _row(standing: door.Standing, desk: Desk, public_id: str) -> Visit:
    return Visit(
        public_id=public_id,
        desk=desk,
        queue_id=standing.queue,
        priority=standing.priority,
        joined_at=moment_of(standing.arrived_us),
        place_at_join=standing.ahead,
    )


def _save(visit: Visit) -> None:
    """Write what the visitor said. The drain may have made the row by then, from the history."""
    said = (
        *("name", "topic", "contact", "address", "language", "skills", "place_at_join"),
        *("verified_subject", "visitor_key"),
    )
    told = ("predicted_low_seconds", "predicted_high_seconds", "expected_seconds")
    values = {field_name: getattr(visit, field_name) for field_name in (*said, *told)}
    fresh = {"desk": visit.desk, "queue_id": visit.queue_id, "priority": visit.priority}
    row, _made = Visit.objects.update_or_create(
        public_id=visit.public_id,
        defaults=values,
        create_defaults={**values, **fresh, "joined_at": visit.joined_at},
    )
    visit.pk = row.pk


def _tell_who_came(queue: Queue, standing: door.Standing) -> None:
    """Let agents' pages read the name: the desk has told them of the visit before SQL had it."""
    if standing.agent is not None:
        live.touch(f"line.agent:{standing.agent}")
        return
    if standing.queue != queue.pk:  # it has overflowed
        queue = Queue.objects.get(pk=standing.queue)
    live.touch(f"line.waiting:{queue.slug}")


def new_visit_id() -> str:
    """A public id that no visit has had: letters and digits, as scripts take it."""
    return secrets.token_urlsafe(9).replace("-", "A").replace("_", "B")


def place_proof(visit: Visit, standing: door.Standing) -> str:
    place = LinePlace(
        *(visit.desk.slug, visit.public_id, standing.queue),
        *(standing.priority, standing.arrived_us),
    )
    return sign_place(place)


def visit_leave(*, desk: Desk, visit: str, outcome: str = "left", by: str = "") -> door.Standing:
    """The visitor goes. Again: the same answer, `ended`.

    LineError unavailable: the desk is being rebuilt, and the visit would come back with it. Ask
    again.
    """
    command = door.leave(desk.slug, visit, outcome, by=by)
    standing = hotpath.run(command)
    if standing.answer != "ended":
        standing = visit_beat(desk=desk, visit=visit)
        if standing.is_there:
            standing = hotpath.run(command)
    if standing.answer != "ended":
        raise LineError(*REBUILT)
    transaction.on_commit(lambda: visitor_end_later(visit))
    return standing


def visitor_end_later(visit: str) -> None:
    """A token stays good for rating and transcript; it ends with its day. A removed one at once."""
    if Visit.objects.filter(public_id=visit, outcome=Visit.Outcome.REMOVED).exists():
        visitor_end(visit=visit)


def visit_rate(*, visit: Visit, stars: int, comment: str = "") -> Rating:
    """What the visitor thought of it; for an hour later words replace earlier ones.

    LineError: malformed, rating-over.
    """
    if not 1 <= stars <= 5:
        raise LineError("malformed", "A rating has one to five stars.")
    if Rating.objects.filter(visit=visit, at__lt=timezone.now() - RATING_CHANGES).exists():
        raise LineError("rating-over", _("Your rating was saved and can no longer be changed."))
    rating, _made = Rating.objects.update_or_create(
        visit=visit, defaults={"stars": stars, "comment": clean(comment, 1_000)}
    )
    return rating


def refusal(standing: door.Standing) -> LineError:
    """The refusal of a join in the words of the interface."""
    known = REFUSALS.get(standing.answer)
    if known is not None:
        return LineError(*known)
    if standing.answer in ("no such desk", "no such queue"):
        return LineError(*REBUILT)
    return LineError("malformed", standing.answer)


def _refuse_blocked(desk: Desk, address: str) -> None:
    if not address:
        return
    now = timezone.now()
    blocked = BlockedVisitor.objects.filter(desk=desk, key=address).values_list("until", flat=True)
    if any(until is None or until > now for until in blocked):
        raise LineError("visitor-blocked", "Visits from your network are refused.")
    running = Visit.objects.filter(desk=desk, address=address, ended_at=None).count()
    if running >= JOINS_PER_ADDRESS:
        raise LineError(
            "visitor-blocked", "Too many visits come from your network. Try again later."
        )
