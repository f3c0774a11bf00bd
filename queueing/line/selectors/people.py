"""The users who can become agents of a desk."""

from django.db.models import QuerySet

from poolsite.access.models import Membership, User
from queueing.line.models import Desk


def people_of(desk: Desk) -> "QuerySet[User]":
    """Return members of the desk's account who are not agents yet.

    For a desk of the platform: operators.
    """
    users = User.objects.filter(is_active=True, line_agent=None)
    if desk.account_id is None:
        users = users.filter(is_operator=True)
    else:
        members = Membership.objects.filter(account=desk.account_id).values("user")
        users = users.filter(pk__in=members)
    return users.order_by("username")
