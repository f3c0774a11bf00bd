"""What the groups' routes share: finding the group, and its peers."""

from typing import Any

from ninja.params import functions as param

from poolsite import access, hotpath
from poolsite.access import Principal
from poolsite.api.paths import slug_in_path
from poolsite.api.reading import LINE
from poolsite.api.root import ProblemError
from queueing.dispatch import dispatcher as commands
from queueing.dispatch.models import Group
from queueing.dispatch.selectors import GROUPS

Slug = slug_in_path("The group's slug.")
Why: Any = param.Query(
    ...,
    min_length=1,
    max_length=200,
    pattern=LINE,
    description="Why, for the audit log.",
)


def group_of(principal: Principal, slug: str, action: str = "dispatch.view") -> Group:
    """Return the group. Raise `unknown-group` if it is missing or belongs to another account."""
    try:
        return GROUPS.get(principal, slug, action)
    except access.Hidden:
        raise ProblemError("unknown-group") from None


def peer_rows(group: Group) -> list[commands.PeerRow]:
    """Return the peers of a group, or none while its data is lost: the group route shows that."""
    try:
        return hotpath.run(commands.peers(group.slug))
    except commands.DispatchRefusedError as error:
        if error.reason != commands.reasons.NO_SUCH_GROUP:
            raise
        return []
