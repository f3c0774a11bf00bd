"""A short code that moves a visit to another device. It is valid for ten minutes, once.

Eight characters from 31 letters and digits make 8.5e11 codes. A desk allows TRIES_OF_DESK attempts
in ten minutes. If ten codes are valid all the time, a person who guesses without pause finds one
within a year with a probability of about 1 in 8,000.
"""

import secrets
from datetime import timedelta

from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from poolsite.access.limiting import reached_limit
from queueing.line.errors import LineError
from queueing.line.models import Desk, Queue, Visit, VisitCode
from queueing.line.services.beats import visit_beat
from queueing.line.services.visits import Joined, place_proof
from queueing.line.tokens import token_for

LETTERS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"  # without 0 O, 1 I L: people read codes aloud
LENGTH = 8
VALID = timedelta(minutes=10)
TRIES_OF_DESK = 200  # per TRIES_SECONDS, by all clients together; TRIES_OF_ADDRESS is per address
TRIES_OF_ADDRESS = 10
TRIES_SECONDS = 600


def code_make(*, visit: Visit) -> str:
    """Make a new code for the visit and invalidate the previous one.

    Raise LineError visit-ended if the visit has ended.
    """
    if visit.ended_at is not None:
        raise LineError("visit-ended", _("Your visit has ended."))
    now = timezone.now()
    VisitCode.objects.filter(expires_at__lt=now).delete()
    code = "".join(secrets.choice(LETTERS) for _place in range(LENGTH))
    values = {"digest": _digest(visit.desk, code), "expires_at": now + VALID}
    VisitCode.objects.update_or_create(visit=visit, defaults=values)
    return code


def code_redeem(*, queue: Queue, code: str, network: str) -> Joined:
    """Return the visit of a code of this desk, with a new token and proof. The code is used up.

    network: the network address of the caller. Raise LineError unknown-code (not found, used or
    expired; the text is the same for all three), visit-ended or too-many-requests.
    """
    desk = queue.desk
    if reached_limit("line-code", network, TRIES_OF_ADDRESS, TRIES_SECONDS) or reached_limit(
        "line-code-desk", desk.slug, TRIES_OF_DESK, TRIES_SECONDS
    ):
        raise LineError("too-many-requests", _("Too many attempts. Try again in ten minutes."))
    rows = VisitCode.objects.filter(digest=_digest(desk, code), expires_at__gt=timezone.now())
    found = rows.select_related("visit__desk", "visit__queue").first()
    if found is None or not VisitCode.objects.filter(pk=found.pk, digest=found.digest).delete()[0]:
        raise LineError("unknown-code", _("This code isn't valid. Request a new one."))
    visit = found.visit
    standing = visit_beat(desk=desk, visit=visit.public_id)
    if not standing.is_there:
        raise LineError("visit-ended", _("Your visit has ended."))
    return Joined(visit, standing, token_for(visit), place_proof(visit, standing))


def _digest(desk: Desk, code: str) -> str:
    """Return the digest of a code. Spaces, hyphens and case are ignored."""
    plain = "".join(c for c in code.upper() if c in LETTERS)
    return salted_hmac("queueing.line.code", f"{desk.slug} {plain}", algorithm="sha256").hexdigest()
