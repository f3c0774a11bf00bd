"""Celery tasks that send the mails about log-ins."""

from typing import Final

from celery import shared_task

from poolsite.access.mails import send_notice, send_reset

# If the mail server is down: retry after 10, 20, 40, … s, for about ten minutes.
AGAIN: Final = {
    "autoretry_for": (OSError,),  # smtplib's own errors are subclasses
    "retry_backoff": 10,
    "retry_jitter": False,
    "max_retries": 6,
}


@shared_task(name="access.send_reset", **AGAIN)
def send_reset_mail(email: str, site: str) -> None:
    """Mail a link that sets a new password, if there is a user with this address."""
    send_reset(email, site)


@shared_task(name="access.send_notice", **AGAIN)
def send_notice_mail(user_id: int, action: str, at_us: int, address: str) -> None:
    """Mail a user what happened to their log-in."""
    send_notice(user_id, action, at_us, address)
