"""Sessions in SQL, as Django keeps them; a lock that was not had is no deleted session.

Django's store takes any error of the database for "somebody has logged out meanwhile", which is
answered 400: at a busy moment people would be told that their session is gone.
"""

from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import UpdateError

from poolsite.sql_away import sql_is_away


class SessionStore(db.SessionStore):
    """The store that SESSION_ENGINE names."""

    def save(self, must_create: bool = False) -> None:
        """Save it. Raises the database's own error when that cannot be asked."""
        try:
            super().save(must_create)
        except UpdateError as error:
            away = error.__context__
            if away is not None and sql_is_away(away):
                raise away from away.__cause__
            raise
