"""Emails that visitors ask for: when their turn is near, and the transcript.

A request only writes a row (VisitMail). One sweep asks the desk about the visitors who wait for
such an email; another sends what is due. Both may die at any point, because the row states what is
left to do. If a sender dies after sending, before recording it, the email is sent again with the
same Message-ID.

Addresses are not confirmed, so a stranger could enter another person's. Therefore the number of
requests per visit, address and network is limited, a transcript needs a visit that was served, and
the other email contains no text of the visitor.
"""

import logging
from datetime import timedelta

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _
from redis.exceptions import RedisError

from poolsite import hotpath
from poolsite.access.limiting import reached_limit
from queueing.line import desk as commands
from queueing.line.errors import LineError
from queueing.line.models import Visit, VisitMail
from queueing.line.services.mail_texts import TOLD_SECONDS, mail_of

logger = logging.getLogger(__name__)
TRANSCRIPTS_OF_VISIT = 3
PER_ADDRESS, PER_NETWORK, PER_SECONDS = 5, 20, 3_600
HOLD_SECONDS = 120  # renewed at each check: holds the place of a visitor who closed the page
LONGEST = timedelta(hours=4)  # after this, the place is no longer held
LOOKS_SECONDS = (2, 5, 15)  # until the next check: up to 3 visitors ahead, up to 10, more
AHEAD = {VisitMail.When.THIRD: 2, VisitMail.When.NEXT: 0, VisitMail.When.TURN: -1}
BATCH = 500
SENT_AT_ONCE = 50
SENDING = timedelta(seconds=60)  # if the sender dies, another may take the mail after this
WAITS_SECONDS = (10, 60, 300, 900, 3_600)


def turn_mail_ask(
    *, visit: Visit, when: str, address: str, site: str, zone: str, network: str
) -> VisitMail:
    """Email the visitor once, when their turn is near.

    Another address or time replaces the first. Raise LineError malformed, visit-ended, mail-sent
    (one per visit) or too-many-requests.
    """
    address = _valid(address)
    if when not in AHEAD:
        raise LineError("malformed", _("Choose when to be notified."))
    if visit.ended_at is not None:
        raise LineError("visit-ended", _("Your visit has ended."))
    with transaction.atomic():
        Visit.objects.select_for_update().get(pk=visit.pk)
        known = VisitMail.objects.filter(visit=visit, kind=VisitMail.Kind.TURN).first()
        if known is not None and known.state != VisitMail.State.WAITING:
            raise LineError("mail-sent", _("We've already emailed you."))
        if known is None or known.address != address:
            _count(address, network)
        mail, _made = VisitMail.objects.update_or_create(
            visit=visit,
            kind=VisitMail.Kind.TURN,
            defaults={
                "when": when,
                "address": address,
                "site": site,
                "zone": zone,
                "language": visit.language,
                "state": VisitMail.State.WAITING,
                "look_at": timezone.now(),
            },
        )
    return mail


def turn_mail_cancel(*, visit: Visit) -> None:
    """Cancel the email about the turn. Does nothing if it was cancelled or sent."""
    VisitMail.objects.filter(
        visit=visit, kind=VisitMail.Kind.TURN, state=VisitMail.State.WAITING
    ).delete()


def transcript_mail_ask(
    *, visit: Visit, address: str, site: str, zone: str, network: str
) -> VisitMail:
    """Email the conversation so far, without internal notes.

    While an email to the same address is due, return that one. Raise LineError malformed,
    no-transcript (no agent has served the visit), mail-sent (three per visit) or too-many-requests.
    """
    address = _valid(address)
    if visit.matched_at is None and not _is_in_room(visit):
        raise LineError("no-transcript", _("You haven't talked to an agent yet."))
    with transaction.atomic():
        Visit.objects.select_for_update().get(pk=visit.pk)
        of_visit = VisitMail.objects.filter(visit=visit, kind=VisitMail.Kind.TRANSCRIPT)
        known = of_visit.filter(address=address, state=VisitMail.State.DUE).first()
        if known is not None:
            return known
        if of_visit.count() >= TRANSCRIPTS_OF_VISIT:
            raise LineError("mail-sent", _("The transcript has already been emailed three times."))
        _count(address, network)
        return VisitMail.objects.create(
            visit=visit,
            kind=VisitMail.Kind.TRANSCRIPT,
            address=address,
            language=visit.language,
            zone=zone,
            site=site,
            state=VisitMail.State.DUE,
            look_at=timezone.now(),
        )


def _valid(address: str) -> str:
    address = address.strip()
    try:
        validate_email(address)
    except ValidationError:
        raise LineError("malformed", _("Enter a valid email address.")) from None
    return address


def _count(address: str, network: str) -> None:
    if reached_limit("line-mail-to", address.casefold(), PER_ADDRESS, PER_SECONDS) or (
        network and reached_limit("line-mail-by", network, PER_NETWORK, PER_SECONDS)
    ):
        raise LineError("too-many-requests", _("Too many emails requested. Try again later."))


def _is_in_room(visit: Visit) -> bool:
    """Whether the visit is in a room. Asks the desk, because SQL may lack the match."""
    return hotpath.run(commands.place(visit.desk.slug, visit.public_id)).answer == "room"


# -- whose turn is near ------------------------------------------------------------------------


def look_for_turns(shard: int, shards: int) -> dict[str, int]:
    """Check the visitors who wait for an email. Hold the places of those who closed the page."""
    done = {"looked": 0, "due": 0, "over": 0, "failed": 0}
    waiting = VisitMail.objects.filter(state=VisitMail.State.WAITING, look_at__lte=timezone.now())
    mine = waiting.annotate(shard=F("visit__desk_id") % shards).filter(shard=shard)
    rows = list(mine.select_related("visit__desk").order_by("look_at")[:BATCH])
    to_run = [commands.hold(row.visit.desk.slug, row.visit.public_id, HOLD_SECONDS) for row in rows]
    try:
        standings = hotpath.run_batch(to_run) if to_run else []
    except (hotpath.HotPathError, RedisError) as error:
        logger.info("line: visitors who wait to be told are looked at later: %s", error)
        return {**done, "failed": len(rows)}
    later: dict[int, list[int]] = {}
    for row, standing in zip(rows, standings, strict=True):
        done["looked"] += 1
        if isinstance(standing, hotpath.HotPathError):  # this desk failed; the others answered
            done["failed"] += 1
        elif _is_over(row, standing):
            done["over"] += _end(row.pk, VisitMail.State.OVER)
        elif is_near(row.when, standing):
            done["due"] += _is_due(row)
        else:
            later.setdefault(_next_look(standing), []).append(row.pk)
    for seconds, keys in later.items():
        at = timezone.now() + timedelta(seconds=seconds)
        VisitMail.objects.filter(pk__in=keys).update(look_at=at)
    return done


def is_near(when: str, standing: commands.Standing) -> bool:
    """Whether the visitor has reached the requested place.

    A visitor who is away is never matched, so they are notified at the head of the line.
    """
    if standing.answer in ("room", "offered"):
        return True
    if standing.answer == "away":
        return standing.ahead <= max(0, AHEAD[VisitMail.When(when)])
    return standing.answer == "waiting" and standing.ahead <= AHEAD[VisitMail.When(when)]


def _is_over(row: VisitMail, standing: commands.Standing) -> bool:
    """Whether the email is obsolete. A desk in a rebuild knows no visits, but they will return."""
    if standing.answer == "ended" or row.visit.ended_at is not None:
        return True
    return row.asked_at < timezone.now() - LONGEST


def _is_due(row: VisitMail) -> int:
    mine = VisitMail.objects.filter(pk=row.pk, state=VisitMail.State.WAITING)
    return mine.update(state=VisitMail.State.DUE, look_at=timezone.now())


def _next_look(standing: commands.Standing) -> int:
    near, close, far = LOOKS_SECONDS
    return near if standing.ahead <= 3 else close if standing.ahead <= 10 else far


# -- sending -----------------------------------------------------------------------------------


def send_due() -> dict[str, int]:
    """Send what is due. Retry failed emails for about 80 minutes."""
    done = {"sent": 0, "failed": 0}
    due = VisitMail.objects.filter(state=VisitMail.State.DUE, look_at__lte=timezone.now())
    for mail in due.select_related("visit__desk", "visit__queue").order_by("look_at")[
        :SENT_AT_ONCE
    ]:
        if not _claim(mail):
            continue
        _hold_once_more(mail)
        try:
            mail_of(mail).send(fail_silently=False)
        except OSError as error:  # smtplib's exceptions are subclasses
            logger.info("line: mail %s is not sent yet: %s", mail.pk, type(error).__name__)
            _try_later(mail)
            done["failed"] += 1
        else:
            done["sent"] += _end(mail.pk, VisitMail.State.SENT)
    return done


def _claim(mail: VisitMail) -> bool:
    """Reserve an email for a short time, so that only one sender sends it."""
    mine = VisitMail.objects.filter(pk=mail.pk, state=VisitMail.State.DUE, look_at=mail.look_at)
    return bool(mine.update(look_at=timezone.now() + SENDING))


def _hold_once_more(mail: VisitMail) -> None:
    if mail.kind != VisitMail.Kind.TURN:
        return
    visit = mail.visit
    try:
        hotpath.run(commands.hold(visit.desk.slug, visit.public_id, TOLD_SECONDS))
    except (hotpath.HotPathError, RedisError) as error:
        logger.info("line: visit %s is not held: %s", visit.public_id, error)


def _try_later(mail: VisitMail) -> None:
    if mail.attempts >= len(WAITS_SECONDS):
        _end(mail.pk, VisitMail.State.FAILED)
        return
    at = timezone.now() + timedelta(seconds=WAITS_SECONDS[mail.attempts])
    VisitMail.objects.filter(pk=mail.pk).update(attempts=mail.attempts + 1, look_at=at)


def _end(key: int, state: str) -> int:
    """End the checks of an email and forget its address."""
    return VisitMail.objects.filter(pk=key).update(state=state, address="")
