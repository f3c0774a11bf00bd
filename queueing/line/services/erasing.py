"""Erasure of personal data: after the desk's retention time, or when a visitor requests it.

Erased are messages, files and notes, the visitor's name, topic, contact and network address, the
comment of a rating, and left messages. Times, queue, agent, outcome and stars stay for the reports.
The history (LineEvent) names visits by ID only.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from poolsite import access, live
from poolsite.access.services import visitor_end
from poolsite.access.services.actor import Actor, require
from queueing.line.errors import LineError
from queueing.line.models import (
    Desk,
    LeftMessage,
    Message,
    Rating,
    VerifiedVisitor,
    Visit,
    VisitCode,
    VisitMail,
)
from queueing.line.services import attachments
from queueing.line.services.common import clean

BATCH_VISITS = 200
MOST_SECONDS = 30.0
ERASED_AT_ONCE = 2_000  # visits of one person
NOTHING = dict.fromkeys(
    (
        *("name", "topic", "contact", "address", "notes", "language", "verified_subject"),
        "visitor_key",
    ),
    "",
)


@dataclass(frozen=True, slots=True)
class Erased:
    """The numbers of erased rows."""

    visits: int = 0
    messages: int = 0
    left_messages: int = 0
    attachments: int = 0


def visitor_erase(
    *, actor: Actor, desk: Desk, reason: str, visit: str = "", contact: str = ""
) -> Erased:
    """Erase a visitor's data at a desk: one visit by ID, or all visits of a phone number or email.

    The erasure and its audit entry are one transaction. The entry names the visits, never the
    person. Raise LineError malformed, unknown-visit or visit-running; nothing is erased then.
    """
    require(actor, "line.erase", desk)
    contact = clean(contact, 120)
    if bool(visit) == bool(contact):
        raise LineError("malformed", "Give one visit, or a phone number or email.")
    if not reason.strip():
        raise LineError("malformed", "An erasure needs a reason.")
    with transaction.atomic():
        visits, left = _of_person(desk, visit, contact)
        erased = _erase(visits)
        count = len(left)
        LeftMessage.objects.filter(pk__in=[each.pk for each in left]).delete()
        done = Erased(erased.visits, erased.messages, count, erased.attachments)
        access.audit(
            actor=actor,
            action="line.visitor_erase",
            thing=desk,
            after={
                "visits": [each.public_id for each in visits],
                "messages": done.messages,
                "left_messages": done.left_messages,
                "attachments": done.attachments,
            },
            reason=clean(reason, 200),
        )
    for each in visits:
        visitor_end(visit=each.public_id)  # a token of today no longer opens it
    return done


def _of_person(desk: Desk, visit: str, contact: str) -> tuple[list[Visit], list[LeftMessage]]:
    rows = Visit.objects.filter(desk=desk)
    rows = rows.filter(public_id=visit) if visit else rows.filter(contact__iexact=contact)
    visits = list(rows.order_by("pk")[:ERASED_AT_ONCE])
    if any(each.ended_at is None for each in visits):
        raise LineError("visit-running", "The visit is running. End it first.")
    words = LeftMessage.objects.filter(queue__desk=desk)
    words = words.filter(visit=visit) if visit else words.filter(contact__iexact=contact)
    left = list(words[:ERASED_AT_ONCE])
    if not visits and not left:
        raise LineError("unknown-visit", "No data found for this visitor.")
    return visits, left


def _erase(visits: Sequence[Visit]) -> Erased:
    """Erase the texts and names of these visits. Call this inside a transaction."""
    keys = [each.pk for each in visits]
    files = attachments.forget(keys)
    messages, _ = Message.objects.filter(visit__in=keys).delete()
    VisitMail.objects.filter(visit__in=keys).delete()
    VisitCode.objects.filter(visit__in=keys).delete()
    Rating.objects.filter(visit__in=keys).exclude(comment="").update(comment="")
    fresh = [each for each in visits if each.erased_at is None]
    Visit.objects.filter(pk__in=[each.pk for each in fresh]).update(
        **NOTHING, skills={}, erased_at=timezone.now()
    )
    VerifiedVisitor.objects.filter(visit__in=[each.public_id for each in fresh]).delete()
    for each in fresh:
        live.touch(f"line.room:{each.public_id}")
    return Erased(len(fresh), messages, attachments=files)


def erase_expired() -> dict[str, int]:
    """Erase what is older than the desk's transcript days, in batches, for up to 30 seconds."""
    deadline = time.monotonic() + MOST_SECONDS
    done = {"visits": 0, "messages": 0, "left_messages": 0}
    for desk in Desk.objects.order_by("pk"):
        before = timezone.now() - timedelta(days=desk.transcript_days)
        while time.monotonic() < deadline:
            expired = Visit.objects.filter(desk=desk, erased_at=None, ended_at__lt=before)
            batch = list(expired.order_by("ended_at")[:BATCH_VISITS])
            with transaction.atomic():
                erased = _erase(batch)
            done["visits"] += erased.visits
            done["messages"] += erased.messages
            if len(batch) < BATCH_VISITS:
                break
        done["left_messages"] += _expired_messages(desk, deadline)
    return done


def _expired_messages(desk: Desk, deadline: float) -> int:
    before = timezone.now() - timedelta(days=desk.transcript_days)
    count = 0
    for queue in desk.queues.all():
        while time.monotonic() < deadline:
            # Ordered by primary key, which follows time. The queue's index leads to the oldest
            # rows.
            rows = LeftMessage.objects.filter(queue=queue).order_by("pk")
            oldest = list(rows.values_list("pk", "at")[:BATCH_VISITS])
            keys = [key for key, at in oldest if at < before]
            LeftMessage.objects.filter(pk__in=keys).delete()
            count += len(keys)
            if len(keys) < BATCH_VISITS:
                break
    return count
