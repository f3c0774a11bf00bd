"""The groups, as sockets need them: read from SQL, cached for a second."""

from dataclasses import dataclass

from poolsite.api.directory import DirectoryKind
from queueing.dispatch.models import Group


@dataclass(frozen=True, slots=True)
class GroupRef:
    """What a socket needs of a group. Access checks treat it like the group."""

    id: int
    slug: str
    account_id: int | None
    heartbeat_seconds: int
    missed_limit: int
    disconnect_seconds: int

    access_kind = "group"

    @property
    def access_ref(self) -> str:
        """The name that tokens and grants use."""
        return f"group:{self.slug}"


def _load(slug: str) -> GroupRef | None:
    row = (
        Group.objects.filter(slug=slug)
        .values_list(
            *("pk", "slug", "account_id"),
            *("heartbeat_seconds", "missed_limit", "disconnect_seconds"),
        )
        .first()
    )
    return None if row is None else GroupRef(*row)


_GROUPS: DirectoryKind[GroupRef] = DirectoryKind("dispatch groups", _load)


async def group_ref(slug: str) -> GroupRef | None:
    """Return the group with this slug, or None."""
    return await _GROUPS.get(slug)
