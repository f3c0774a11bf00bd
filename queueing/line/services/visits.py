"""A visitor's operations: join, stay present, leave. The place is kept through all of them."""

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
from django.utils.translation import gettext_noop

from poolsite import hotpath, live
from poolsite.access.services import visitor_end
from poolsite.moments import moment_of, us_of
from queueing.line import desk as commands
from queueing.line.errors import LineError
from queueing.line.models import BlockedVisitor, Desk, Queue, Rating, Visit
from queueing.line.services import estimates, keeping
from queueing.line.services.beats import visit_beat
from queueing.line.services.common import REBUILT, clean
from queueing.line.services.languages import known_language
from queueing.line.tokens import LinePlace, sign_place, token_for

JOINS_PER_ADDRESS = 20  # running visits per network address and desk
RATING_CHANGES = timedelta(hours=1)  # after the first rating
AGAIN = timedelta(minutes=10)  # after a room ended while its visitor was away
REFUSALS: Mapping[str, tuple[str, str]] = {
    "closed": ("queue-closed", gettext_noop("This queue is closed now.")),
    "full": ("queue-full", gettext_noop("Too many visitors are waiting. Please come again later.")),
    "no_agent": ("no-agent", gettext_noop("No agent is available to serve you now.")),
}


JoinRunner = Callable[[str, commands.Join], commands.Standing]  # called with the desk's slug


@dataclass(frozen=True, slots=True)
class Joined:
    """A visit in the line or in a room, with what its visitor must store."""

    visit: Visit
    standing: commands.Standing
    token: str
    place: str
    estimate: estimates.Estimate | None = None
    more: Mapping[str, Any] = field(default_factory=dict)


def join_alone(desk: str, coming: commands.Join) -> commands.Standing:
    """Join one visitor by a separate command."""
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
    """Create a visit.

    arrived_us: the arrival time (µs) that determines the place. public_id: makes the call
    idempotent. run: sends the join to the desk. subject: the visitor in a token of the customer's
    own system. Raise LineError queue-closed, queue-full, no-agent or visitor-blocked; nothing is
    created then.
    """
    desk = queue.desk
    _refuse_blocked(desk, address)
    public_id = public_id or new_visit_id()
    coming = commands.Join(public_id, queue.pk, priority, skills or {}, arrived_us, anyway)
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
    """Let a visitor whose room ended while they were away join at the head of the line, once.

    The first arrival determines the place. Return None if the visit did not end this way, at this
    desk, within AGAIN. LineError and `run` are as in visit_join.
    """
    lost = Visit.objects.filter(desk=queue.desk, public_id=visit).first()
    if lost is None or visit_beat(desk=queue.desk, visit=visit).word != Visit.Outcome.VISITOR_LOST:
        return None  # the desk decides: SQL may not have the end yet
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


def rejoined(visit: Visit, standing: commands.Standing) -> Joined:
    """Return a running visit with a new token."""
    return Joined(visit, standing, token_for(visit), place_proof(visit, standing))


def _row(standing: commands.Standing, desk: Desk, public_id: str) -> Visit:
    return Visit(
        public_id=public_id,
        desk=desk,
        queue_id=standing.queue,
        priority=standing.priority,
        joined_at=moment_of(standing.arrived_us),
        place_at_join=standing.ahead,
    )


def _save(visit: Visit) -> None:
    """Write what the visitor entered. The drain may have created the row from the history."""
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


def _tell_who_came(queue: Queue, standing: commands.Standing) -> None:
    """Refresh the agents' pages: the desk announced the visit before SQL had its name."""
    if standing.agent is not None:
        live.touch(f"line.agent:{standing.agent}")
        return
    if standing.queue != queue.pk:  # the visit has overflowed
        queue = Queue.objects.get(pk=standing.queue)
    live.touch(f"line.waiting:{queue.slug}")


def new_visit_id() -> str:
    """Return a new public ID of letters and digits only, as the scripts require."""
    return secrets.token_urlsafe(9).replace("-", "A").replace("_", "B")


def place_proof(visit: Visit, standing: commands.Standing) -> str:
    place = LinePlace(
        *(visit.desk.slug, visit.public_id, standing.queue),
        *(standing.priority, standing.arrived_us),
    )
    return sign_place(place)


def visit_leave(
    *, desk: Desk, visit: str, outcome: str = "left", by: str = ""
) -> commands.Standing:
    """End the visit. Repeating it returns the same answer, `ended`.

    Raise LineError unavailable while the desk is being rebuilt, because the visit would come back.
    The caller should retry then.
    """
    command = commands.leave(desk.slug, visit, outcome, by=by)
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
    """End the token of a removed visit. Other tokens stay valid for rating and transcript.

    They expire with their day.
    """
    if Visit.objects.filter(public_id=visit, outcome=Visit.Outcome.REMOVED).exists():
        visitor_end(visit=visit)


def visit_rate(*, visit: Visit, stars: int, comment: str = "") -> Rating:
    """Rate a visit. For an hour, a later rating replaces the earlier one.

    Raise LineError malformed or rating-over.
    """
    if not 1 <= stars <= 5:
        raise LineError("malformed", "A rating has one to five stars.")
    if Rating.objects.filter(visit=visit, at__lt=timezone.now() - RATING_CHANGES).exists():
        raise LineError("rating-over", _("Your rating was saved and can no longer be changed."))
    rating, _made = Rating.objects.update_or_create(
        visit=visit, defaults={"stars": stars, "comment": clean(comment, 1_000)}
    )
    return rating


def refusal(standing: commands.Standing) -> LineError:
    """Return the LineError for a refused join."""
    if standing.answer in REFUSALS:
        kind, detail = REFUSALS[standing.answer]
        return LineError(kind, _(detail))
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
