"""The worker's tasks about people: mails (mail_tasks.py) and cleaning up."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from poolsite.access import mail_tasks, services  # noqa: F401  Celery finds its tasks here
from poolsite.jobs import SweepDescription, sweep
from poolsite.people import tidying


def tidy(shard: int, shards: int) -> dict[str, int]:
    """Delete ended sessions and old keys; warn of expiring tokens, guessed codes and requests."""
    return {
        "sessions": tidying.delete_ended_sessions(),
        "keys": services.forget_keys(),
        "tokens": tidying.warn_of_ending_tokens(),
        "guessed": tidying.warn_of_guessed_codes(),
        "waiting": tidying.warn_of_waiting_requests(),
    }


sweep(
    "access.tidy",
    tidy,
    every_seconds=300,
    description=SweepDescription(
        _("Sign-in housekeeping"),
        _("Deletes expired sessions and old idempotency keys, and warns of expiring tokens."),
        {
            "sessions": ngettext_lazy("%(n)s session deleted", "%(n)s sessions deleted", "n"),
            "keys": ngettext_lazy(
                "%(n)s idempotency key deleted", "%(n)s idempotency keys deleted", "n"
            ),
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
