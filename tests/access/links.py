"""What tests of four eyes share: operators who are independent, and time that passes for links."""

from datetime import timedelta

from django.db.models import F

from poolsite.access.models import AccessLink, User
from poolsite.access.services import grant_set, user_create


def operator(name: str, *grants: str) -> User:
    """An operator as the server's administrator makes one: without an access link."""
    user = user_create(
        username=name, email=f"{name}@example.com", is_operator=True, actor="manage.py user"
    )
    for grant in grants:
        grant_set(user=user, name=grant, actor="manage.py user")
    return User.objects.get(pk=user.pk)


def days_pass(days: float) -> None:
    """As if every link had been made so many days earlier."""
    AccessLink.objects.update(at=F("at") - timedelta(days=days))
