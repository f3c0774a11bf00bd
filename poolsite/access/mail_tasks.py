"""Mails about log-ins, as Celery sends them."""

from typing import Final

from celery import shared_task

from poolsite.access.mails import send_notice, send_reset

# A mail server that is away for a while: after 10, 20, 40, … s, for about ten minutes.
AGAIN: Final = {
    "autoretry_for": (OSError,),  # smtplib's own errors are of that kind
    "retry_backoff": 10,
    "retry_jitter": False,
    "max_retries": 6,
}


@shared_task(name="access.send_reset", **AGAIN)
def send_reset_mail(email: str, site: str) -> None:
    """Mail a link to a new password; whether there is such a user is found out here."""
    send_reset(email, site)


@shared_task(name="access.send_notice", **AGAIN)
def send_notice_mail(user_id: int, action: str, at_us: int, address: str) -> None:
    """Tell a user what happened to the user's log-in."""
    send_notice(user_id, action, at_us, address)
