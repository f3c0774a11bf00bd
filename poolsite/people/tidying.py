"""Warns of expiring tokens, guessed codes and waiting requests, and deletes ended sessions."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.utils import timezone
from django.utils.translation import gettext_noop

from poolsite.access.models import ApiToken, CodeGuard, FinanceRequest
from poolsite.access.models.credentials import WARN_BEFORE
from poolsite.operations import incidents
from poolsite.operations.models import Incident

USED_WITHIN = timedelta(days=30)
GUESSES = 10
DELETE_ROWS = 2_000

TOKEN_ENDS = "access.token_ends"  # noqa: S105  an incident's type
CODES_GUESSED = "access.codes_guessed"
FINANCE_WAITS = "access.finance_waits"


def delete_ended_sessions() -> int:
    """Delete expired session rows, a bounded number; return how many."""
    ended = Session.objects.filter(expire_date__lt=timezone.now())
    keys = list(ended.values_list("pk", flat=True)[:DELETE_ROWS])
    UserSession.objects.filter(session_key__in=keys).delete()  # unaudited: a list of them
    return ended.filter(pk__in=keys).delete()[0]  # unaudited: their time has passed


def warn_of_ending_tokens() -> int:
    """Open an incident for each used token that expires soon, close the rest; return how many."""
    now = timezone.now()
    live = ApiToken.objects.filter(revoked_at=None, last_used_at__gt=now - USED_WITHIN)
    ending = live.filter(expires_at__lt=now + WARN_BEFORE)
    return _keep(TOKEN_ENDS, {str(each.pk): _ends_soon(each, now) for each in ending})


def _ends_soon(token: ApiToken, now: datetime) -> dict[str, Any]:
    title = gettext_noop("API token %(token)s expires soon")
    detail = gettext_noop("Days left: %(days)s. Requests with this token will then be refused.")
    if token.expires_at <= now:
        title = gettext_noop("API token %(token)s has expired")
        detail = gettext_noop("Requests with this token are refused.")
    return {
        "severity": "critical" if token.expires_at <= now else "warning",
        "title": title,
        "detail": detail,
        "remedy": gettext_noop(
            "Create a new token, replace the old one with it, then revoke the old one."
        ),
        "url": "/tokens/",
        "account": token.account_id,
        "params": {"token": str(token), "days": max(0, (token.expires_at - now).days)},
    }


def warn_of_guessed_codes() -> int:
    """Open an incident for each user whose second factor is being guessed; return how many.

    The guesser already knows the user's password. Incidents that no longer apply are closed.
    """
    guessed = CodeGuard.objects.filter(failures__gte=GUESSES).select_related("user")
    recent = (each for each in guessed if _is_recent(each.blocked_until))
    return _keep(CODES_GUESSED, {str(each.user_id): _is_guessed(each) for each in recent})


def _is_guessed(guard: CodeGuard) -> dict[str, Any]:
    return {
        "severity": "critical",
        "title": gettext_noop("Repeated incorrect codes for %(user)s"),
        "detail": gettext_noop(
            "%(count)s incorrect codes were entered after the correct password."
        ),
        "remedy": gettext_noop("Check with the user and have them change their password."),
        "url": "/operators/" if guard.user.is_operator else "/accounts/",
        "params": {"user": guard.user.get_username(), "count": guard.failures},
    }


def warn_of_waiting_requests() -> int:
    """Open an incident for each finance grant that waits, so that approvers learn of it.

    Return how many wait. Incidents that no longer apply are closed.
    """
    waiting = FinanceRequest.objects.filter(status=FinanceRequest.Status.WAITING)
    rows = waiting.select_related("user", "asked_by")
    return _keep(FINANCE_WAITS, {str(each.pk): _waits(each) for each in rows})


def _waits(request: FinanceRequest) -> dict[str, Any]:
    users = {"user": request.user.get_username(), "asker": request.asked_by.get_username()}
    return {
        "severity": "warning",
        "title": gettext_noop("Finance grant for %(user)s is waiting for approval"),
        "detail": gettext_noop(
            "Requested by %(asker)s. The grant has no effect until it is approved."
        ),
        "remedy": gettext_noop("Another finance operator must approve or reject it."),
        "url": f"/operators/finance/{request.pk}/",
        "params": users,
    }


def _is_recent(blocked_until: datetime | None) -> bool:
    return blocked_until is not None and blocked_until > timezone.now() - timedelta(days=1)


def _keep(kind: str, troubles: Mapping[str, dict[str, Any]]) -> int:
    """Have an incident of this type open for exactly these objects; return how many."""
    for name, told in troubles.items():
        incidents.open(type=kind, object=name, **told)
    opened = Incident.objects.filter(type=kind, until=None).values_list("object", flat=True)
    for name in set(opened) - troubles.keys():
        incidents.close(type=kind, object=name)
    return len(troubles)
