"""Finds the desk, queue, visit and agent of a topic's key, and checks who may watch them."""

import asyncio
import re
from dataclasses import dataclass

from poolsite import access, hotpath, live
from poolsite.access import Decision, Principal, Thing
from poolsite.per_loop import PerLoop
from queueing.line import desk as commands
from queueing.line.models import Agent, Desk, Queue, Visit
from queueing.line.selectors.visitors import is_earlier_visit

PLACE_SECONDS = 1.0
_VISIT = re.compile(r"[A-Za-z0-9_-]{1,32}")


@dataclass(frozen=True, slots=True)
class TopicScope:
    """A queue or visit with its desk. `account_id` is None for a desk of the platform."""

    desk: str
    account_id: int | None
    queue: int = 0
    visit: str = ""
    queue_slug: str = ""
    queue_name: str = ""

    @property
    def thing(self) -> Thing:
        """The desk as an object of permissions."""
        return Thing("desk", self.desk, self.account_id)


def place_in(known: TopicScope | None) -> TopicScope:
    """Return the place that `allowed` found. A topic is read only after access was allowed."""
    if known is None:
        raise LookupError("nobody was allowed to watch this yet")
    return known


def visit_id_of(key: str) -> str:
    """Return the key if it can be a visit's public ID. Raise ValueError otherwise."""
    if not _VISIT.fullmatch(key):
        raise ValueError(f"not a visit: {key!r}")
    return key


def queue_place(slug: str) -> TopicScope | None:
    """Return a queue's place by its slug, or None."""
    row = Queue.objects.select_related("desk").filter(slug=slug).first()
    return None if row is None else _place(row.desk, row)


class _QueuePlaces:
    """Queues' places, read once a second for all callers: a whole line may connect at once."""

    def __init__(self) -> None:
        self._reads: dict[str, tuple[float, asyncio.Future[TopicScope | None]]] = {}

    async def get(self, slug: str) -> TopicScope | None:
        now = asyncio.get_running_loop().time()
        until, read = self._reads.get(slug, (0.0, None))
        if read is None or now > until or _failed(read):
            self._reads = {name: each for name, each in self._reads.items() if each[0] > now}
            read = asyncio.ensure_future(live.in_thread(queue_place, slug))
            self._reads[slug] = (now + PLACE_SECONDS, read)
        return await asyncio.shield(read)


def _failed(read: "asyncio.Future[TopicScope | None]") -> bool:
    """Whether the read failed or found nothing."""
    return read.done() and (
        read.cancelled() or read.exception() is not None or read.result() is None
    )


_queue_places = PerLoop(_QueuePlaces)


async def queue_place_now(slug: str) -> TopicScope | None:
    """Return a queue's place by its slug, at most a second old."""
    return await _queue_places().get(slug)


def visit_place(public_id: str) -> TopicScope | None:
    """Return a visit's place by its public ID, in the queue that SQL has.

    Return None if unknown.
    """
    row = Visit.objects.select_related("desk", "queue").filter(public_id=public_id).first()
    return None if row is None else place_of(row)


def room_place(principal: Principal, public_id: str) -> TopicScope | None:
    """Return a visit's place, or None.

    The desk matches before SQL has the visit, so the visit's agent finds it through the desk.
    """
    known = visit_place(public_id)
    user = principal.user_id
    if known is not None or user is None:
        return known
    desk = Desk.objects.filter(agents__user_id=user, agents__archived_at=None).first()
    if desk is None or public_id not in _rooms_of(user, desk.slug):
        return None
    return TopicScope(desk.slug, desk.account_id, visit=public_id)


def visit_place_in(public_id: str, queue: int) -> TopicScope | None:
    """Return a visit's place in the given queue (0 means none). SQL lags behind a transfer."""
    row = Queue.objects.select_related("desk").filter(pk=queue).first() if queue else None
    return visit_place(public_id) if row is None else _place(row.desk, row, public_id)


def place_of(row: Visit) -> TopicScope:
    """Return the place of a loaded visit, with its desk and queue."""
    return _place(row.desk, row.queue, row.public_id)


def _place(desk: Desk, queue: Queue, visit: str = "") -> TopicScope:
    return TopicScope(desk.slug, desk.account_id, queue.pk, visit, queue.slug, queue.name)


def is_agent_of(principal: Principal, desk: str) -> bool:
    """Whether the person is an agent of this desk (read from SQL)."""
    user = principal.user_id
    if user is None:
        return False
    return Agent.objects.filter(user_id=user, desk__slug=desk, archived_at=None).exists()


async def may_serve(principal: Principal, place: TopicScope | None) -> Decision:
    """Decide access for agents of the desk, and for users who may view the whole desk."""
    if place is None:
        return Decision.HIDDEN
    looks = access.decide(principal, "line.view", place.thing)
    if looks:
        return looks
    serves = access.decide(principal, "line.serve", place.thing)
    if serves and principal.kind == "user":
        mine = await live.in_thread(is_agent_of, principal, place.desk)
        return Decision.ALLOW if mine else Decision.FORBIDDEN
    return serves


def may_read(principal: Principal, place: TopicScope | None, *, notes: bool = False) -> Decision:
    """Decide who may read a visit: its current state and its messages. Reads Redis for an agent.

    Allowed are its own visitor (except for internal notes), users who may view the whole desk,
    programs that serve or visit there, and the agent in whose room the visitor is now, with this
    visit or a later one of the same visitor. The page, the API and the sockets all use this check.
    """
    if place is None:
        return Decision.HIDDEN if principal.is_authenticated else Decision.LOGIN
    if principal.kind == "visitor" and not notes:
        thing = Thing("visit", place.visit, place.account_id)
        return access.decide(principal, "line.visit", thing)
    looks = access.decide(principal, "line.view", place.thing)
    if looks or principal.kind == "visitor":
        return looks
    serves = access.decide(principal, "line.serve", place.thing)
    if principal.kind == "token":
        return serves if serves or notes else access.decide(principal, "line.visit", place.thing)
    if serves and not _has_in_room(principal, place):
        return Decision.FORBIDDEN
    return serves


def _has_in_room(principal: Principal, place: TopicScope) -> bool:
    user = principal.user_id
    if user is None:
        return False
    here = _rooms_of(user, place.desk)
    return place.visit in here or is_earlier_visit(place.desk, place.visit, here)


def _rooms_of(agent: int, desk: str) -> set[str]:
    """Return the visits in an agent's rooms, by the user's ID."""
    state = hotpath.run(commands.agent_state(desk, agent))
    return {slot.visit for slot in state.slots if slot.kind == "room"}
