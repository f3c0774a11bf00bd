"""The current state of a visit, as pages and the API show it.

Names and the pace of a queue come from SQL. A busy desk sends thousands of visitors the same few
names and figures, so live pages use cached values while they are fresh.
"""

import time
from typing import Any, Final

from poolsite import live
from poolsite.per_loop import PerLoop
from queueing.line import desk as commands
from queueing.line.models import Agent
from queueing.line.services import estimates
from queueing.line.topics.scope import TopicScope, visit_place_in

NAME_SECONDS: Final = 15.0
NAMES: Final = 10_000


class AgentNames:
    """The names of agents, cached for a short time."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[float, str | None]] = {}

    def get(self, agent: int | None) -> tuple[bool, str | None]:
        """Return whether the name is cached, and the name; (True, None) if there is no agent."""
        if agent is None:
            return True, None
        until, name = self._known.get(agent, (0.0, None))
        return time.monotonic() < until, name

    def put(self, agent: int | None, name: str | None) -> None:
        """Cache a name that was just read."""
        if agent is None:
            return
        if len(self._known) >= NAMES:
            self._known.clear()
        self._known[agent] = (time.monotonic() + NAME_SECONDS, name)


_names = PerLoop(AgentNames)


def standing_as_data(visit: str, standing: commands.Standing) -> dict[str, Any]:
    """Return a visit's current state in the form of the API. Reads SQL."""
    return _as_data(standing, visit_place_in(visit, standing.queue), _name_of(standing.agent))


async def standing_shown(
    visit: str, standing: commands.Standing, known: TopicScope | None
) -> dict[str, Any]:
    """Return a visit's current state for a live page, from the cache if it is fresh.

    known: the visit's place from an earlier read, valid while the visit is in the same queue.
    """
    place = known if known is not None and known.queue == standing.queue else None
    names = _names()
    is_known, name = names.get(standing.agent)
    if place is not None and is_known and not estimates.needs_sql(standing):
        return _as_data(standing, place, name)
    data: dict[str, Any] = await live.in_thread(_read, visit, standing, place)
    names.put(standing.agent, data["agent"])
    return data


def _read(visit: str, standing: commands.Standing, place: TopicScope | None) -> dict[str, Any]:
    place = place or visit_place_in(visit, standing.queue)
    return _as_data(standing, place, _name_of(standing.agent))


def _as_data(
    standing: commands.Standing, place: TopicScope | None, agent: str | None
) -> dict[str, Any]:
    guess = estimates.estimate(standing)
    return {
        "answer": standing.answer,
        "seq": standing.seq,
        "ahead": standing.ahead,
        "priority": standing.priority,
        "ticket": standing.ticket,
        "queue": place.queue_slug if place is not None else "",
        "queue_name": place.queue_name if place is not None else "",
        "agent": agent,
        "word": standing.word,
        "estimate": [guess.low_seconds, guess.high_seconds] if guess is not None else None,
    }


def _name_of(agent: int | None) -> str | None:
    if agent is None:
        return None
    return Agent.objects.filter(user_id=agent).values_list("name", flat=True).first()
