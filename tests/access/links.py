"""Helpers for four-eyes tests: independent operators, and access links that get older."""

from datetime import timedelta

from django.db.models import F

from poolsite.access.models import AccessLink, User
from poolsite.access.services import grant_set, user_create


def operator(name: str, *grants: str) -> User:
    """Create an operator as the server's administrator does: without an access link."""
    user = user_create(
        username=name, email=f"{name}@example.com", is_operator=True, actor="manage.py user"
    )
    for grant in grants:
        grant_set(user=user, name=grant, actor="manage.py user")
    return User.objects.get(pk=user.pk)


def days_pass(days: float) -> None:
    """Make every link this many days older."""
    AccessLink.objects.update(at=F("at") - timedelta(days=days))
