"""The first state of an agent's console: its live topics' data, before the socket connects."""

from collections.abc import Sequence
from typing import Any

from poolsite import hotpath
from queueing.line import desk as commands
from queueing.line.models import Agent, Message, Queue, Visit
from queueing.line.selectors.consoles import agent_out

ROWS = 100  # of a line
EXCERPT = 120  # of a first message, shown in the line


def first_snapshots(agent: Agent, queues: Sequence[Queue]) -> dict[str, Any]:
    """Return the state of the agent's topic and its queues' lines, or {} without Redis."""
    desk = agent.desk.slug
    try:
        me = agent_out(agent)
        lines = hotpath.run_all([commands.waiting(desk, queue.pk, count=ROWS) for queue in queues])
    except hotpath.HotPathError:
        return {}
    firsts: dict[str, Any] = {f"line.agent:{agent.user_id}": me}
    for queue, line in zip(queues, lines, strict=True):
        firsts[f"line.waiting:{queue.slug}"] = {"rows": waiting_rows(line)}
    return firsts


def waiting_rows(line: commands.LinePart) -> dict[str, dict[str, Any]]:
    """Return the visits of a part of a line by ID, in order, with what their visitors entered."""
    said = _said([row.visit for row in line.visits])
    return {
        row.visit: {
            "place": index,
            "state": row.state,
            "priority": row.priority,
            "arrived_ms": row.arrived_us // 1_000,
            **said.get(row.visit, {}),
        }
        for index, row in enumerate(line.visits)
    }


def _said(visits: list[str]) -> dict[str, dict[str, Any]]:
    """Return visitors' name, topic, skills, language, and the beginning of their first message."""
    rows = Visit.objects.filter(public_id__in=visits).values_list(
        "public_id", "name", "topic", "skills", "language", "verified_subject"
    )
    first = Message.objects.filter(
        visit__public_id__in=visits, number=1, author=Message.Author.VISITOR
    ).values_list("visit__public_id", "text")
    words = {
        public_id: " ".join(text[: 2 * EXCERPT].split())[:EXCERPT] for public_id, text in first
    }
    return {
        public_id: {
            "name": name,
            "topic": topic,
            "skills": skills,
            "language": language,
            "verified": bool(subject),
            "words": words.get(public_id, ""),
        }
        for public_id, name, topic, skills, language, subject in rows
    }
