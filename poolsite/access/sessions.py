"""Django's sessions in SQL; a lock that could not be had does not look like a deleted session.

Django's store takes any error of the database for "the user has logged out meanwhile" and answers
400: at busy moments, people would see that their session is gone.
"""

from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import UpdateError

from poolsite.sql_away import sql_is_away


class SessionStore(db.SessionStore):
    """The store that SESSION_ENGINE names."""

    def save(self, must_create: bool = False) -> None:
        """Save the session. Raise the database's own error if it is not available."""
        try:
            super().save(must_create)
        except UpdateError as error:
            away = error.__context__
            if away is not None and sql_is_away(away):
                raise away from away.__cause__
            raise
