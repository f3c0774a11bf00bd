"""Alerts about incidents: emails are queued in the incident's transaction and a sweep sends and
retries them. Programs receive webhook events.
"""

from datetime import timedelta
from functools import partial
from typing import Any

import structlog
from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override

from poolsite.moments import iso
from poolsite.operations import outgoing
from poolsite.operations.models import Incident, Notice, NoticeTarget, OutgoingCall
from poolsite.operations.retrying import next_wait
from poolsite.operations.webhooks import emitting

LOG = structlog.get_logger(__name__)
EVENTS = {
    "opened": "incident.opened",
    "worse": "incident.escalated",
    "closed": "incident.closed",
}
HOLD_SECONDS = 60  # if a sender dies while it sends an alert, another can send it after this


def queue_notices(incident: Incident, event: str) -> int:
    """Queue an email for each recipient that wants this incident, and its webhook event.

    This runs in the caller's transaction. Return the number of emails.
    """
    body = _body(incident)
    emitting.emit(
        EVENTS[event],
        account_id=incident.account_id,
        data=body,
        page=partial(_page_of, incident),
    )
    targets = NoticeTarget.objects.filter(active=True).filter(
        Q(account=None) | Q(account_id=incident.account_id)
    )
    if event == "closed":  # a recipient who had no alert of its start gets none of its end
        targets = targets.filter(notices__incident=incident).distinct()
    elif incident.severity == Incident.Severity.WARNING:
        targets = targets.filter(warnings=True)
    now = timezone.now()
    notices = [
        Notice(target=target, incident=incident, event=event, body=body, next_at=now)
        for target in targets
    ]
    Notice.objects.bulk_create(notices, ignore_conflicts=True)  # unaudited: no person's action
    return len(notices)


def _page_of(incident: Incident) -> str:
    return reverse("operations:incident", args=[incident.pk])


def _body(incident: Incident) -> dict[str, Any]:
    with override("en"):
        return {
            "incident": incident.pk,
            "type": incident.type,
            "object": incident.object,
            "severity": incident.severity,
            "title": incident.title,
            "detail": incident.detail,
            "remedy": incident.remedy,
            "since": incident.since.isoformat(),
            "until": iso(incident.until),
        }


def send_due(limit: int = 50) -> dict[str, int]:
    """Send the emails that are due. Retry one that fails later, and log each attempt."""
    sent = failed = 0
    now = timezone.now()
    due = Notice.objects.filter(state=Notice.State.PENDING, next_at__lte=now)
    due = due.exclude(incident__until=None, incident__snoozed_until__gt=now)  # snoozed: they wait
    for notice in due.select_related("target", "incident").order_by("next_at")[:limit]:
        if not _claim(notice):
            continue
        outcome = _mail(notice)
        _note(notice, outcome)
        sent += outcome.ok
        failed += not outcome.ok
    return {"sent": sent, "failed": failed}


def _claim(notice: Notice) -> bool:
    """Reserve a notice for a while, so that only one sender sends it, however many sweeps run."""
    held_until = timezone.now() + timedelta(seconds=HOLD_SECONDS)
    mine = Notice.objects.filter(
        pk=notice.pk,
        state=Notice.State.PENDING,
        attempts=notice.attempts,
        next_at=notice.next_at,
    )
    return bool(mine.update(next_at=held_until))  # unaudited: a sender's reservation


def _mail(notice: Notice) -> outgoing.DeliveryOutcome:
    body = notice.body
    subject = f"[{settings.PLATFORM_NAME}] {_word(notice.event)}: {body['title']}"
    page = outgoing.absolute(_page_of(notice.incident))
    lines = [body["title"], body["detail"], body["remedy"], page, body["since"]]
    message = EmailMessage(
        subject=" ".join(subject.split()),
        body="\n\n".join(line for line in lines if line),
        to=[notice.target.address],
    )
    return outgoing.timed(lambda: message.send(fail_silently=False))


def _word(event: str) -> str:
    return {"opened": _("Problem"), "worse": _("Now critical"), "closed": _("Resolved")}[event]


def _note(notice: Notice, outcome: outgoing.DeliveryOutcome) -> None:
    attempts = notice.attempts + 1
    changes: dict[str, Any] = {"attempts": attempts}
    if outcome.ok:
        changes["state"] = Notice.State.SENT
    elif (wait := next_wait(attempts)) is None:
        changes["state"] = Notice.State.FAILED
    else:
        changes["next_at"] = timezone.now() + wait
    with transaction.atomic():
        Notice.objects.filter(pk=notice.pk).update(**changes)  # unaudited: logged as a call
        OutgoingCall.objects.create(
            notice=notice,
            purpose=f"notice.{notice.event}",
            address=notice.target.address,
            account_id=notice.target.account_id,
            status=outcome.status,
            error=outcome.error[:300],
            answer=outcome.answer[:500],
            duration_ms=outcome.duration_ms,
        )
