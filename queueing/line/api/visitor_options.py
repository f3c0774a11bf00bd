"""Visitors' options: language, emails, a code for another device."""

from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _

from poolsite import access
from poolsite.access.limiting import network_of, reached_limit
from poolsite.access.mails import site_of
from poolsite.api.idempotency import shows_secret
from poolsite.api.problems import kind_of_refusal
from poolsite.api.reading import NothingIn
from poolsite.api.root import ProblemError
from poolsite.moments import us_of, zone_names
from queueing.line.api.answers import DoneOut
from queueing.line.api.visitor_answers import (
    CodeOut,
    LanguageOut,
    RatingKnownOut,
    ResumedOut,
    TellOut,
)
from queueing.line.api.visits import (
    ANYBODY,
    Slug,
    VisitId,
    queue_of,
    queues,
    visit_row,
    visits,
)
from queueing.line.models import Rating, VisitMail
from queueing.line.schemas import CodeIn, LanguageIn, TellIn, TranscriptMailIn
from queueing.line.services import codes, languages, visitor_mails
from queueing.line.topics.standing import standing_as_data

CODES_PER_HOUR = 30  # per visit


@visits.post("/{visit}/language", response={200: LanguageOut}, summary="Set the visitor's language")
def post_language(request: HttpRequest, given: LanguageIn, visit: str = VisitId) -> Any:
    """Agents see the language, and emails to the visitor use it. Unknown codes are ignored."""
    return {"language": languages.visit_speaks(visit=visit_row(request), language=given.language)}


@visits.post("/{visit}/tell", response={200: TellOut}, summary="Request an email about the turn")
def post_tell(request: HttpRequest, given: TellIn, visit: str = VisitId) -> Any:
    """Send one email when the visitor is `third`, `next` or served (`turn`). `off` cancels it.

    Until then and for five more minutes the place is kept, even if the page is closed. Errors:
    `malformed`, `visit-ended`, `mail-sent`, `too-many-requests`.
    """
    row = visit_row(request)
    if given.when == "off":
        visitor_mails.turn_mail_cancel(visit=row)
    else:
        visitor_mails.turn_mail_ask(
            visit=row, when=given.when, address=given.email, **_sent_from(request, given.zone)
        )
    return _told(row.pk)


@visits.get("/{visit}/tell", response={200: TellOut}, summary="Get the requested email")
def get_tell(request: HttpRequest, visit: str = VisitId) -> Any:
    """The email that is waiting to be sent, if any. The address is not included."""
    return _told(visit_row(request).pk)


def _told(visit: int) -> dict[str, str]:
    mail = VisitMail.objects.filter(visit=visit, kind=VisitMail.Kind.TURN).first()
    if mail is None:
        return {"when": "off", "state": "off"}
    return {"when": mail.when, "state": mail.state}


@visits.post("/{visit}/transcript-mail", response={200: DoneOut}, summary="Email the transcript")
def post_transcript_mail(
    request: HttpRequest, given: TranscriptMailIn, visit: str = VisitId
) -> Any:
    """Email the conversation so far, without internal notes. Sent within seconds.

    Errors: `malformed`, `no-transcript`, `mail-sent` (three per visit), `too-many-requests`.
    """
    visitor_mails.transcript_mail_ask(
        visit=visit_row(request), address=given.email, **_sent_from(request, given.zone)
    )
    return {"answer": "kept"}


def _sent_from(request: HttpRequest, zone: str) -> dict[str, str]:
    """Return the site for the mail's link, the zone of its times, and the caller's network."""
    if zone not in zone_names():
        raise ProblemError("malformed", f"{zone} is not a time zone.")
    address = access.client_address(request)
    network = network_of(address) if address else ""
    return {"site": site_of(request), "zone": zone, "network": network}


@visits.get("/{visit}/rating", response={200: RatingKnownOut}, summary="Get the rating")
def get_rating(request: HttpRequest, visit: str = VisitId) -> Any:
    """The visitor's rating. `stars` is 0 if there is none yet."""
    rating = Rating.objects.filter(visit=visit_row(request)).first()
    if rating is None:
        return {"stars": 0, "comment": ""}
    return {"stars": rating.stars, "comment": rating.comment}


@visits.post("/{visit}/code", response={200: CodeOut}, summary="Create a code for another device")
@shows_secret
def post_code(request: HttpRequest, given: NothingIn, visit: str = VisitId) -> Any:
    """A code of eight letters and digits to continue the visit on another device.

    It works once, for ten minutes. A new code replaces the previous one.
    """
    row = visit_row(request)
    if reached_limit("line-codes", row.public_id, CODES_PER_HOUR, 3_600):
        raise ProblemError("too-many-requests", _("Too many codes requested. Try again later."))
    code = codes.code_make(visit=row)
    return {"code": code, "seconds": int(codes.VALID.total_seconds())}


@queues.post(
    "/{slug}/resume",
    auth=ANYBODY,
    response={200: ResumedOut},
    summary="Resume a visit with a code",
)
@shows_secret
def post_resume(request: HttpRequest, given: CodeIn, slug: str = Slug) -> Any:
    """Continue the visit that the code belongs to. Codes are valid for the queue's desk.

    Errors: `unknown-code` (wrong, used or expired), `visit-ended`, `too-many-requests`.
    """
    queue, principal = queue_of(slug), access.principal_of_request(request)
    if principal.kind == "token":  # a program needs access to the desk; otherwise the code suffices
        decision = access.decide(principal, "line.visit", queue)
        if not decision:
            raise ProblemError(kind_of_refusal(decision, "unknown-queue"))
    address = access.client_address(request)
    found = codes.code_redeem(
        queue=queue, code=given.code, network=network_of(address) if address else "-"
    )
    public_id = found.visit.public_id
    return {
        **standing_as_data(public_id, found.standing),
        "visit": public_id,
        "token": found.token,
        "place": found.place,
        "joined_ms": us_of(found.visit.joined_at) // 1_000,
    }
