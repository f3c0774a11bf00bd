"""What the verbs of `manage.py dispatch` share."""

from collections.abc import Callable
from typing import Any

from django.core.management.base import CommandError

from queueing.dispatch.models import Group

ACTOR = "manage.py dispatch"
Say = Callable[[str], object]
Options = dict[str, Any]


def group_of(options: Options) -> Group:
    """Return the group in the command's arguments."""
    return group_named(options["slug"])


def group_named(slug: str) -> Group:
    """Return the group with this slug. Raise CommandError if there is none."""
    group = Group.objects.select_related("account").filter(slug=slug).first()
    if group is None:
        raise CommandError(f"Group {slug} not found.")
    return group
