"""Messages that visitors left at a desk."""

from django.db.models import Q, QuerySet

from queueing.line.models import Desk, LeftMessage


def messages_of(desk: Desk, *, every: bool) -> "QuerySet[LeftMessage]":
    """Return a desk's unanswered messages, or all of them if `every`; newest first."""
    rows = LeftMessage.objects.filter(queue__desk=desk)
    if not every:
        rows = rows.filter(handled_at=None)
    return rows.select_related("queue__desk__account").order_by("-pk")


def with_text(rows: "QuerySet[LeftMessage]", text: str) -> "QuerySet[LeftMessage]":
    """Keep the messages that contain a text in the name, the contact or the message."""
    said = Q(name__icontains=text) | Q(contact__icontains=text) | Q(text__icontains=text)
    return rows.filter(said)
