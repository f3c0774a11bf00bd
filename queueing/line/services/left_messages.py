"""What visitors leave when nobody is there."""

from datetime import timedelta

from django.utils import timezone

from queueing.line.errors import LineError
from queueing.line.models import LeftMessage, Queue
from queueing.line.services.common import clean, clean_text

LEFT_PER_HOUR = 500  # of one queue: beyond that it is nobody who wants an answer
TWICE_WITHIN = timedelta(minutes=10)


def message_leave(
    *, queue: Queue, name: str, contact: str, text: str, wants_call: bool, visit: str = ""
) -> LeftMessage:
    """Keep a message, or a wish to be called back; a second click is the same one.

    LineError: malformed (no name, no contact, neither text nor wish), queue-full.
    """
    name, contact = clean(name, 80), clean(contact, 120)
    if not name or not contact:
        raise LineError("malformed", "Tell your name and how to reach you.")
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
