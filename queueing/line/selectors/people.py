"""Who can become an agent of a desk."""

from django.db.models import QuerySet

from poolsite.access.models import Membership, User
from queueing.line.models import Desk


def people_of(desk: Desk) -> "QuerySet[User]":
    """Members of the desk's account (operators, for a desk of the platform) who are no agents."""
    users = User.objects.filter(is_active=True, line_agent=None)
    if desk.account_id is None:
        users = users.filter(is_operator=True)
    else:
        members = Membership.objects.filter(account=desk.account_id).values("user")
        users = users.filter(pk__in=members)
    return users.order_by("username")
