"""Recovery of a desk whose data Redis lost.

The desk is rebuilt from SQL. It matches no one until one heartbeat timeout has passed.
"""

import logging
from collections.abc import Iterator
from datetime import timedelta

from django.utils import timezone
from django.utils.translation import gettext_noop

from poolsite import hotpath
from poolsite.access.services.aggregates import Act, begin_anew
from poolsite.aggregates.services.recovering import failed_over, watch_each
from poolsite.history.models import Cursor
from poolsite.jobs.shards import of_shard
from poolsite.moments import us_of
from poolsite.operations import incidents
from queueing.line import desk as commands
from queueing.line.models import AgentShift, Desk, LineEvent, Visit
from queueing.line.services.desks import apply_desk, begin_desk

logger = logging.getLogger(__name__)
KIND = "line.desk"
INCIDENT = "line.recovering"
LONGEST_TTL_SECONDS = 15
LOADING = timedelta(seconds=60)  # after this, the worker that loads counts as dead


def watch_desks(shard: int, shards: int) -> dict[str, int]:
    """Check every desk of a shard once. Return the numbers of desks, rebuilds and failures."""
    desks = of_shard(Desk.objects.select_related("account").order_by("pk"), shard, shards)
    done = {"desks": len(desks), "rebuilt": 0, "failed": 0}

    def look(desk: Desk, figures: commands.DeskFigures | None) -> None:
        done["rebuilt"] += desk_check(desk, figures)

    watch_each(desks, commands.show, look, done)
    return done


def desk_check(desk: Desk, figures: commands.DeskFigures | None) -> bool:
    """Compare a desk's data in Redis with SQL, and rebuild the desk if its data was lost."""
    if figures is not None and figures.generation == desk.generation:
        if figures.status == "recovering":
            return figures.opens_at_ms == 0 and (
                _go_on(desk) or failed_over(desk, commands.show, desk_rebuild)
            )
        if desk.recovering_since is not None:
            Desk.objects.filter(pk=desk.pk).update(recovering_since=None)
            incidents.close(type=INCIDENT, object=desk.slug)
        return False
    found = figures.generation if figures is not None else 0
    if found == 0 and not _has_lived(desk):
        begin_desk(desk)  # its first generation: nothing was lost
        return False
    return desk_rebuild(desk, "lost", found)


def _has_lived(desk: Desk) -> bool:
    """Whether SQL has data of an earlier generation. Its entry numbers have been used then."""
    return (
        Cursor.objects.filter(kind=KIND, tag=desk.tag).exists()
        or desk.visits.exists()
        or LineEvent.objects.filter(aggregate=desk).exists()
    )


def _go_on(desk: Desk) -> bool:
    """Continue the load of a worker that died during it. Do nothing if that worker may be alive."""
    since = desk.recovering_since
    if since is None or timezone.now() - since < LOADING:
        return False
    _load(desk)
    return True


def desk_rebuild(desk: Desk, why: str, found_generation: int = 0) -> bool:
    """Begin a new generation of the desk's data and restore its running visits.

    Return False if another worker does it. The entries are numbered from 1 again; the generation
    distinguishes them from earlier entries.
    """
    known = Cursor.objects.filter(kind=KIND, tag=desk.tag).values_list("generation", flat=True)
    act = Act("line.rebuild", "line.desk_rebuild", why)
    generation = begin_anew(desk, act, found_generation, known.first() or 0)
    if generation is None:
        return False
    logger.warning("line: desk %s is rebuilt from SQL: %s", desk.slug, why)
    if not hotpath.run(commands.recover(desk.slug, generation, log_limit=desk.log_limit)).ok:
        return False  # we were delayed, and another worker began a later generation
    _load(desk)
    return True


def _say_recovering(desk: Desk) -> None:
    """Open the incident. `desk_check` closes it when the desk is open."""
    incidents.open(
        type=INCIDENT,
        object=desk.slug,
        severity="critical",
        title=gettext_noop("Desk %(desk)s is recovering"),
        detail=gettext_noop("Redis lost its data. Visitors are returning to their places."),
        remedy=gettext_noop("No action needed. Matching starts after one heartbeat timeout."),
        params={"desk": desk.slug},
        account=desk.account,
    )


def _load(desk: Desk) -> None:
    """Load settings and running visits, then set the time at which the desk opens. Idempotent.

    A worker that was delayed while a later generation began cannot open that generation early.
    """
    _say_recovering(desk)
    longest = max((queue.ttl_seconds for queue in desk.queues.all()), default=LONGEST_TTL_SECONDS)
    apply_desk(desk)
    for visits in _running(desk):
        hotpath.run(commands.load(desk.slug, visits))
    _bring_agents_back(desk)
    hotpath.run(commands.open_after(desk.slug, desk.generation, longest))


def _bring_agents_back(desk: Desk) -> None:
    """Bring agents on shift back, online or paused. The timers remove those who do not respond."""
    shifts = AgentShift.objects.filter(agent__desk=desk, agent__archived_at=None, ended_at=None)
    to_run = []
    for shift in shifts.select_related("agent"):
        agent = shift.agent.user_id
        to_run.append(commands.login(desk.slug, agent))
        if shift.pauses and shift.pauses[-1]["until"] is None:
            to_run.append(commands.pause(desk.slug, agent, shift.pauses[-1]["reason"]))
    hotpath.run_all(to_run)


def _running(desk: Desk) -> Iterator[list[commands.Loaded]]:
    """Iterate over visits that have not ended, by arrival, in pages."""
    rows = Visit.objects.filter(desk=desk, ended_at=None).select_related("agent")
    page: list[commands.Loaded] = []
    for row in rows.order_by("joined_at").iterator(chunk_size=commands.LOAD_LIMIT):
        page.append(
            commands.Loaded(
                visit=row.public_id,
                queue=row.queue_id,
                priority=row.priority,
                arrived_us=us_of(row.joined_at),
                agent=row.agent.user_id if row.agent is not None else None,
                skills={str(name): int(level) for name, level in row.skills.items()},
            )
        )
        if len(page) == commands.LOAD_LIMIT:
            yield page
            page = []
    if page:
        yield page
