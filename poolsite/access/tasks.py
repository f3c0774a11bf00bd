"""What the worker does for people: mails, and tidying up."""

from celery import shared_task

from poolsite.access import tidying
from poolsite.access.mails import send_reset
from poolsite.jobs.registry import sweep


@shared_task(name="access.send_reset")  # type: ignore[untyped-decorator]
def send_reset_mail(email: str, site: str) -> None:
    """Mail a link to a new password; whether there is such a user is found out here."""
    send_reset(email, site)


@sweep("access.tidy", every_seconds=300)
def tidy(shard: int, shards: int) -> dict[str, int]:
    """Delete ended sessions; warn of tokens that end soon and of guessed codes."""
    return {
        "sessions": tidying.delete_ended_sessions(),
        "tokens": tidying.warn_of_ending_tokens(),
        "guessed": tidying.warn_of_guessed_codes(),
    }
