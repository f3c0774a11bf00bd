"""The sessions that a front-end has counted itself."""

import re

from django.db import transaction
from django.utils import timezone

from poolsite import live
from poolsite.access.services.actor import Actor, require
from queueing.dispatch.errors import DispatchError
from queueing.dispatch.models import PEER_PATTERN, FrontEnd, Group

_ID = re.compile(PEER_PATTERN)


def front_count(*, actor: Actor, group: Group, peer_id: str, started: int, lost: int) -> FrontEnd:
    """Record how many sessions a front-end has started and lost since it began to count.

    A session is lost if it ended in any other way than by one of its two ends. The last report
    replaces earlier ones. It is shown next to our own figures and changes none of them. It is not
    audited, because front-ends send it every few seconds.
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
