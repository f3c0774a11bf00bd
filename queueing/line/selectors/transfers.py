"""The transfer targets of an agent: colleagues who are online, and the desk's queues."""

from itertools import islice
from typing import Any

from poolsite import hotpath
from queueing.line import desk as commands
from queueing.line.models import Agent, Desk, Queue, Skill
from queueing.line.services.common import agents_at

LIMIT = 500  # online agents in a list


def colleagues(agent: Agent) -> dict[str, Any]:
    """Return the desk's queues with their waiting visitors, and the other online agents.

    Agents who can take a visitor come first, the least busy of them at the top.
    """
    return {"queues": _queues(agent.desk), "agents": _agents(agent)}


def _queues(desk: Desk) -> list[dict[str, Any]]:
    figures = hotpath.run(commands.show(desk.slug))
    known = figures.queues if figures is not None else {}
    rows = []
    for queue in Queue.objects.filter(desk=desk).order_by("position", "slug"):
        now = known.get(queue.pk)
        rows.append(
            {
                "slug": queue.slug,
                "name": queue.name,
                "waiting": now.waiting if now is not None else 0,
                "oldest_ms": now.oldest_us // 1000 if now is not None else 0,
                "online": now.online if now is not None else 0,
            }
        )
    return rows


def _agents(agent: Agent) -> list[dict[str, Any]]:
    others = Agent.objects.filter(desk=agent.desk, archived_at=None).exclude(pk=agent.pk)
    known = {each.user_id: each for each in others}
    names = dict(Skill.objects.filter(desk=agent.desk).values_list("slug", "name"))
    online = (
        each
        for each in agents_at(agent.desk.slug)
        if each.state == "online" and each.agent in known
    )
    rows = [_row(each, known[each.agent], names) for each in islice(online, LIMIT)]
    rows.sort(key=lambda row: (row["free"] < 1, row["rooms"], row["name"]))
    return rows


def _row(record: commands.AgentRecord, agent: Agent, names: dict[str, str]) -> dict[str, Any]:
    reason = reason_of(record)
    levels = sorted(agent.skills.items(), key=lambda pair: (-pair[1], pair[0]))
    return {
        "agent": record.agent,
        "name": agent.name,
        "free": record.capacity - len(record.slots) if reason == "free" else 0,
        "rooms": len(record.slots),
        "capacity": record.capacity,
        "reason": reason,
        "skills": [
            {"slug": slug, "name": names.get(slug, slug), "level": level} for slug, level in levels
        ],
    }


def reason_of(record: commands.AgentRecord) -> str:
    """Return why an online agent cannot get a visitor (a code of line/why), or "free"."""
    if record.away_since_ms:
        return "away"
    if record.pending:
        return "leaving"
    if len(record.slots) >= record.capacity:
        kinds = {slot.kind for slot in record.slots}
        return "wrap_up" if "wrap_up" in kinds else "at_capacity"
    return "offered" if any(slot.kind == "offer" for slot in record.slots) else "free"
