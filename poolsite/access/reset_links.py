"""The secret in a mailed link that sets a new password."""

from typing import TYPE_CHECKING

from django.contrib.auth.tokens import PasswordResetTokenGenerator

if TYPE_CHECKING:
    from poolsite.access.models import User


class ResetLinks(PasswordResetTokenGenerator):
    """Secrets that work once, for PASSWORD_RESET_TIMEOUT seconds.

    A secret ends earlier with a new password, a log-in, another email address (Django's own three),
    with deactivation, even if the user is activated again, and with log-out everywhere.
    """

    key_salt = "poolsite.access.reset_links"

    def _make_hash_value(self, user: "User", timestamp: int) -> str:
        ours = f"{user.sessions_epoch}:{user.is_active}"
        return f"{super()._make_hash_value(user, timestamp)}:{ours}"


reset_links = ResetLinks()
