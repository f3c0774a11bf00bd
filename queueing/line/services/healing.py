"""Redis lost a desk: it is made again from SQL, and matches nobody for one heartbeat's life."""

import logging
from collections.abc import Iterator

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_noop
from redis.exceptions import RedisError

from poolsite import access, hotpath
from poolsite.operations import incidents
from queueing.line import desk as door
from queueing.line.models import Desk, Visit
from queueing.line.services.desks import apply_desk, begin_desk, new_generation

logger = logging.getLogger(__name__)
INCIDENT = "line.recovering"
LONGEST_TTL_SECONDS = 15


def watch_desks(shard: int, shards: int) -> dict[str, int]:
    """One look at every desk of a shard; returns what was done, in numbers."""
    done = {"desks": 0, "rebuilt": 0, "failed": 0}
    for desk in Desk.objects.select_related("account").order_by("pk"):
        if desk.pk % shards != shard:
            continue
        done["desks"] += 1
        try:
            done["rebuilt"] += desk_check(desk, hotpath.run(door.show(desk.slug)))
        except (hotpath.HotPathError, RedisError) as error:
            done["failed"] += 1
            logger.warning("line: desk %s is not healed yet: %s", desk.slug, error)
    return done


def heal_desk(desk_id: int, reason: str) -> None:
    """The drain found Redis behind SQL: rebuild, unless another worker has done it since."""
    desk = Desk.objects.select_related("account").filter(pk=desk_id).first()
    if desk is None:
        return
    figures = hotpath.run(door.show(desk.slug))
    if figures is not None and figures.generation == desk.generation:
        desk_rebuild(desk, reason, figures.generation)
    else:
        desk_check(desk, figures)


def desk_check(desk: Desk, figures: door.DeskFigures | None) -> bool:
    """Compare a desk's data with what SQL remembers, and rebuild it if it was lost."""
    if figures is not None and figures.generation == desk.generation:
        if figures.status == "open" and desk.recovering_since is not None:
            Desk.objects.filter(pk=desk.pk).update(recovering_since=None)
            incidents.close(type=INCIDENT, object=desk.slug)
        return False
    found = figures.generation if figures is not None else 0
    if found == 0 and not desk.visits.exists():
        begin_desk(desk)  # its first life: nothing was lost
        return False
    return desk_rebuild(desk, "lost", found)


def desk_rebuild(desk: Desk, why: str, found_generation: int = 0) -> bool:
    """Begin a new life of the desk's data and put its running visits back. False: not our turn."""
    before = desk.generation
    generation = new_generation(before, found_generation)
    with transaction.atomic():
        mine = Desk.objects.filter(pk=desk.pk, generation=before).update(
            generation=generation, recovering_since=timezone.now()
        )
        if not mine:
            return False
        access.audit(
            actor="line.rebuild",
            action="line.desk_rebuild",
            thing=desk,
            before={"generation": before},
            after={"generation": generation},
            reason=why,
        )
    desk.refresh_from_db()
    logger.warning("line: desk %s is rebuilt from SQL: %s", desk.slug, why)
    incidents.open(
        type=INCIDENT,
        object=desk.slug,
        severity="critical",
        title=gettext_noop("Desk %(desk)s is recovering"),
        detail=gettext_noop("Redis lost its data. Visitors come back to their places."),
        remedy=gettext_noop("Nothing to do: matching starts after one heartbeat's life."),
        params={"desk": desk.slug},
        account=desk.account,
    )
    longest = max((queue.ttl_seconds for queue in desk.queues.all()), default=LONGEST_TTL_SECONDS)
    command = door.recover(
        desk.slug, generation, log_limit=desk.log_limit, open_after_seconds=longest
    )
    hotpath.run(command)
    apply_desk(desk)
    for visits in _running(desk):
        hotpath.run(door.load(desk.slug, visits))
    return True


def _running(desk: Desk) -> Iterator[list[door.Loaded]]:
    """Visits that have not ended, by arrival, some at a time."""
    rows = Visit.objects.filter(desk=desk, ended_at=None).select_related("agent")
    page: list[door.Loaded] = []
    for row in rows.order_by("joined_at").iterator(chunk_size=door.LOAD_LIMIT):
        page.append(
            door.Loaded(
                visit=row.public_id,
                queue=row.queue_id,
                priority=row.priority,
                arrived_us=int(row.joined_at.timestamp() * 1_000_000),
                agent=row.agent.user_id if row.agent is not None else None,
                skills={str(name): int(level) for name, level in row.skills.items()},
            )
        )
        if len(page) == door.LOAD_LIMIT:
            yield page
            page = []
    if page:
        yield page
