"""The emails to visitors, in the visitor's language and time zone."""

from urllib.parse import urlencode

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django.utils.translation import override

from poolsite.moments import us_of
from queueing.line.models import Message, Visit, VisitMail
from queueing.line.services.attachments import text_with_file
from queueing.line.tokens import LinePlace, sign_place, token_for

MOST = 2_000
TOLD_SECONDS = 300  # how long the place is held after the mail is sent


def mail_of(mail: VisitMail) -> EmailMultiAlternatives:
    """Return the message to send. The same row always has the same Message-ID."""
    visit = mail.visit
    with override(mail.language or settings.LANGUAGE_CODE), timezone.override(mail.zone):
        shown = {
            "visit": visit,
            "house": visit.desk.house,
            "queue": visit.queue.name,
            "when": mail.when,
            "zone": mail.zone,
            "language": mail.language or settings.LANGUAGE_CODE,
        }
        if mail.kind == VisitMail.Kind.TURN:
            shown |= {"link": resume_link(mail), "minutes": TOLD_SECONDS // 60}
        else:
            shown |= {"lines": spoken_lines(visit)}
        subject = render_to_string(f"line/mail/{mail.kind}_subject.txt", shown)
        body = render_to_string(f"line/mail/{mail.kind}.txt", shown)
        page = render_to_string(f"line/mail/{mail.kind}.html", shown)
    message = EmailMultiAlternatives(
        " ".join(subject.split()),
        body,
        to=[mail.address],
        headers={"Message-ID": _message_id(mail), "Auto-Submitted": "auto-generated"},
    )
    message.attach_alternative(page, "text/html")
    return message


def _message_id(mail: VisitMail) -> str:
    name = salted_hmac("queueing.line.mail", str(mail.pk), algorithm="sha256").hexdigest()[:32]
    domain = settings.DEFAULT_FROM_EMAIL.rpartition("@")[2].rstrip(">") or "localhost"
    return f"<visitor.{name}@{domain}>"


def resume_link(mail: VisitMail) -> str:
    """Return the link to the visit's page on any device. The part after # is sent to no server."""
    visit = mail.visit
    arrived_us = us_of(visit.joined_at)
    place = LinePlace(visit.desk.slug, visit.public_id, visit.queue_id, visit.priority, arrived_us)
    words = {
        "v": visit.public_id,
        "t": token_for(visit),
        "p": sign_place(place),
        "j": str(arrived_us // 1_000),
    }
    path = reverse("line:visit", args=[visit.queue.slug])
    query = f"?{urlencode({'lang': mail.language})}" if mail.language else ""
    return f"{mail.site}{path}{query}#{urlencode(words)}"


def spoken_lines(visit: Visit) -> list[dict[str, object]]:
    """Return the conversation: {"at", "who", "text"}, oldest first, without internal messages."""
    rows = Message.objects.filter(visit=visit).heard_by_visitors()
    rows = rows.select_related("agent", "attachment").order_by("number")
    return [
        {
            "at": each.at,
            "who": each.speaker or visit.name or _("You"),
            "text": text_with_file(each),
        }
        for each in rows[:MOST]
    ]
