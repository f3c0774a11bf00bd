"""What the worker does for people: mails."""

from celery import shared_task

from poolsite.access.mails import send_reset


@shared_task(name="access.send_reset")  # type: ignore[untyped-decorator]
def send_reset_mail(email: str, site: str) -> None:
    """Mail a link to a new password; whether there is such a user is found out here."""
    send_reset(email, site)
