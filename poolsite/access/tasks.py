"""What the worker does for people: mails, and tidying up."""

from typing import Final

from celery import shared_task
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from poolsite.access import tidying
from poolsite.access.mails import send_notice, send_reset
from poolsite.jobs.registry import sweep
from poolsite.jobs.telling import Told

# A mail server that is away for a while: after 10, 20, 40, … s, for about ten minutes.
AGAIN: Final = {
    "autoretry_for": (OSError,),  # smtplib's own errors are of that kind
    "retry_backoff": 10,
    "retry_jitter": False,
    "max_retries": 6,
}


@shared_task(name="access.send_reset", **AGAIN)  # type: ignore[untyped-decorator]
def send_reset_mail(email: str, site: str) -> None:
    """Mail a link to a new password; whether there is such a user is found out here."""
    send_reset(email, site)


@shared_task(name="access.send_notice", **AGAIN)  # type: ignore[untyped-decorator]
def send_notice_mail(user_id: int, action: str, at_us: int, address: str) -> None:
    """Tell a user what happened to the user's log-in."""
    send_notice(user_id, action, at_us, address)


@sweep(
    "access.tidy",
    every_seconds=300,
    told=Told(
        _("Sign-in housekeeping"),
        _("Deletes expired sessions and warns of expiring tokens."),
        {
            "sessions": ngettext_lazy("%(n)s session deleted", "%(n)s sessions deleted", "n"),
            "tokens": ngettext_lazy("%(n)s token expiring", "%(n)s tokens expiring", "n"),
            "guessed": ngettext_lazy(
                "%(n)s warning of guessed codes", "%(n)s warnings of guessed codes", "n"
            ),
            "waiting": ngettext_lazy(
                "%(n)s reminder of a waiting approval", "%(n)s reminders of waiting approvals", "n"
            ),
        },
    ),
)
def tidy(shard: int, shards: int) -> dict[str, int]:
    """Delete ended sessions; warn of tokens that end, guessed codes, requests that wait."""
    return {
        "sessions": tidying.delete_ended_sessions(),
        "tokens": tidying.warn_of_ending_tokens(),
        "guessed": tidying.warn_of_guessed_codes(),
        "waiting": tidying.warn_of_waiting_requests(),
    }
