"""Messages that visitors leave when no agent is available."""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from poolsite import access
from poolsite.access.services.actor import Actor, name_of, require
from queueing.line.errors import LineError
from queueing.line.models import LeftMessage, Queue
from queueing.line.services.common import clean, clean_text
from queueing.line.services.message_calls import message_call_end

LEFT_PER_HOUR = 500  # per queue; more than this is spam
TWICE_WITHIN = timedelta(minutes=10)


def message_leave(
    *, queue: Queue, name: str, contact: str, text: str, wants_call: bool, visit: str = ""
) -> LeftMessage:
    """Store a message or a callback request. A second click returns the same row.

    Raise LineError malformed (no name, no contact, neither a text nor a callback request) or
    queue-full.
    """
    name, contact = clean(name, 80), clean(contact, 120)
    if not name or not contact:
        raise LineError("malformed", "Enter your name and how to reach you.")
    if not wants_call or text.strip():
        text = clean_text(text)
    now = timezone.now()
    same = {"queue": queue, "name": name, "contact": contact, "wants_call": wants_call}
    rows = LeftMessage.objects.filter(**same, text=text, at__gte=now - TWICE_WITHIN)
    known = rows.first()
    if known is not None:
        return known
    lately = LeftMessage.objects.filter(queue=queue, at__gte=now - timedelta(hours=1)).count()
    if lately >= LEFT_PER_HOUR:
        raise LineError("queue-full", "Too many messages were left here. Try again later.")
    return LeftMessage.objects.create(**same, text=text, visit=visit[:32])


def message_handle(*, actor: Actor, message: LeftMessage) -> LeftMessage:
    """Mark a message as answered and end its call. If repeated, the first person stays recorded."""
    require(actor, "line.answer", message)
    with transaction.atomic():
        message = _locked(message)
        if message.handled_at is None:
            message.handled_at, message.handled_by = timezone.now(), name_of(actor)
            message.save(update_fields=["handled_at", "handled_by"])
            queue, after = message.queue, {"message": message.pk}  # the log names no visitor
            access.audit(actor=actor, action="line.message_handle", thing=queue, after=after)
    message_call_end(actor=actor, agent=None, message=message)
    return message


def message_reopen(*, actor: Actor, message: LeftMessage) -> LeftMessage:
    """Mark a message as unanswered again. Repeating it changes nothing."""
    require(actor, "line.answer", message)
    with transaction.atomic():
        message = _locked(message)
        if message.handled_at is not None:
            before = {"message": message.pk, "handled_by": message.handled_by}
            message.handled_at, message.handled_by = None, ""
            message.save(update_fields=["handled_at", "handled_by"])
            queue = message.queue
            access.audit(actor=actor, action="line.message_reopen", thing=queue, before=before)
    return message


def _locked(message: LeftMessage) -> LeftMessage:
    rows = LeftMessage.objects.select_for_update(of=("self",))
    return rows.select_related("queue__desk").get(pk=message.pk)
