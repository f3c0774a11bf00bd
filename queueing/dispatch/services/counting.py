"""What a front-end says of its own sessions: its count, not ours."""

import re

from django.db import transaction
from django.utils import timezone

from poolsite import live
from poolsite.access.services.actor import Actor, require
from queueing.dispatch.errors import DispatchError
from queueing.dispatch.models import PEER_PATTERN, FrontEnd, Group

_ID = re.compile(PEER_PATTERN)


def front_count(*, actor: Actor, group: Group, peer_id: str, started: int, lost: int) -> FrontEnd:
    """Note how many sessions a front-end began, and how many it lost, since it counts.

    A session is lost when it ended otherwise than by one of its two ends. The last word of a
    front-end stands; it is shown beside our own figures and changes none of them. Not audited:
    it is a reading, sent every few seconds.
    """
    require(actor, "dispatch.link", group)
    if not _ID.fullmatch(peer_id):
        raise DispatchError("malformed", "invalid ID: use 1 to 40 letters, digits, . _ and -")
    with transaction.atomic():
        front = FrontEnd.objects.get_or_create(group=group, peer_id=peer_id)[0]
        front.told_started, front.told_lost, front.told_at = started, lost, timezone.now()
        front.save(update_fields=["told_started", "told_lost", "told_at"])
        transaction.on_commit(lambda: live.touch(f"dispatch.peers:{group.slug}"))
    return front
