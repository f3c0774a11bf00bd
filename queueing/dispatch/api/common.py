"""What the groups' routes share: the group of the address, its errors."""

from typing import Any

from ninja import Path

from poolsite import access
from poolsite.access import Principal
from poolsite.api.root import ProblemError
from queueing.dispatch.models import Group
from queueing.dispatch.selectors import group_get

Slug: Any = Path(..., pattern=r"^[a-z0-9-]{1,40}$", description="The group's slug.")  # type: ignore[type-arg]


def group_of(principal: Principal, slug: str, action: str = "dispatch.view") -> Group:
    """One group, or the refusal: a foreign one looks like a missing one."""
    try:
        return group_get(principal, slug, action)
    except access.Hidden:
        raise ProblemError("unknown-group") from None
