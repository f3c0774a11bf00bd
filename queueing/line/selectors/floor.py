"""A desk's floor: every agent with their rooms and their day, and the queues, worst first."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Avg, Count, F, Sum
from django.utils import timezone

from poolsite import hotpath
from poolsite.kept import TtlCache
from queueing.line import definitions, pauses
from queueing.line import desk as commands
from queueing.line.models import Agent, AgentShift, Desk, Queue, Skill, Visit
from queueing.line.selectors import wallboard, why
from queueing.line.services import hours
from queueing.line.services.common import agents_at

LINE_ROWS: Final = 50
FRESH_SECONDS: Final = 2.0  # for the data of the day from SQL
_DAY: "TtlCache[int, _Day]" = TtlCache(FRESH_SECONDS)


@dataclass(frozen=True)
class _Day:
    """Data from SQL: names, skills, settings, and each agent's figures since midnight."""

    agents: Mapping[int, Agent]  # by user ID
    queue_slugs: Mapping[int, str]
    staff: Counter[int]  # agents by queue
    skills: Mapping[str, str]
    limits: Mapping[str, int]  # reason of a pause → seconds
    done: Mapping[int, tuple[int, int | None]]  # user ID → served, mean room in seconds
    missed: Mapping[int, int]
    counts: Mapping[int, Mapping[str, int]]  # by queue: `definitions.counts`
    mean: int | None


def floor(desk: Desk) -> dict[str, Any]:
    """Return agents and queues as JSON-ready data. Times are in ms since 1970."""
    day = _DAY.get(desk.pk, lambda: _read_day(desk))
    figures = hotpath.run(commands.show(desk.slug))
    records = [each for each in agents_at(desk.slug) if each.agent in day.agents]
    here = [each for each in records if each.state != "offline"]
    visits = _visits(desk, here)
    names = _names(visits)
    now_ms = figures.now_ms if figures is not None else 0
    agents = [_agent(each, day, visits, names) for each in here]
    return {
        "status": figures.status if figures is not None else "missing",
        "queues": _queues(desk, figures, here, day),
        "agents": sorted(agents, key=lambda row: _look(row, now_ms)),
        "offline": sorted(day.agents[each.agent].name for each in records if each not in here),
        "served": sum(served for served, _ in day.done.values()),
        "mean_seconds": day.mean,
        "missed": sum(day.missed.values()),
    }


def _look(row: Mapping[str, Any], now_ms: int) -> tuple[int, int, str]:
    """Return a sort key: unresponsive agents, overlong pauses, longest rooms, then the rest."""
    state, since = str(row["state"]), int(row["since"])
    over = row["limit_seconds"] and now_ms - since > row["limit_seconds"] * 1_000
    order = {"away": 0, "room": 2, "offer": 3, "wrap_up": 4, "paused": 1 if over else 5}
    return order.get(state, 6), since, str(row["name"])


def _visits(
    desk: Desk, records: Iterable[commands.AgentRecord]
) -> Mapping[str, commands.VisitRecord]:
    ids = [slot.visit for each in records for slot in each.slots if slot.visit]
    found: dict[str, commands.VisitRecord] = {}
    for start in range(0, len(ids), 1_000):
        found |= hotpath.run(commands.visits(desk.slug, ids[start : start + 1_000]))
    return found


def _names(visits: Mapping[str, commands.VisitRecord]) -> Mapping[str, str]:
    rows = Visit.objects.filter(public_id__in=visits)
    return dict(rows.values_list("public_id", "name"))


def _agent(
    record: commands.AgentRecord,
    day: _Day,
    visits: Mapping[str, commands.VisitRecord],
    names: Mapping[str, str],
) -> dict[str, Any]:
    agent = day.agents[record.agent]
    state = wallboard.state_of(record)
    slots = [_slot(slot, visits.get(slot.visit), names) for slot in record.slots]
    served, mean = day.done.get(record.agent, (0, None))
    return {
        "id": record.agent,
        "name": agent.name,
        "state": state,
        "since": _since(record, state, slots),
        "login": record.login_ms,
        "heard": record.heard_ms,
        "reason": record.word if state == "paused" or record.pending == "pause" else "",
        "limit_seconds": day.limits.get(record.word, 0) if state == "paused" else 0,
        "pending": record.pending,
        "capacity": record.capacity,
        "slots": slots,
        "skills": [
            {"name": day.skills.get(slug, slug), "level": level}
            for slug, level in sorted(agent.skills.items())
        ],
        "queues": [day.queue_slugs[key] for key in record.queues if key in day.queue_slugs],
        "served": served,
        "mean_seconds": mean,
        "missed": day.missed.get(record.agent, 0),
    }


def _slot(
    slot: commands.Slot, visit: commands.VisitRecord | None, names: Mapping[str, str]
) -> dict[str, Any]:
    return {
        "kind": slot.kind,
        "visit": slot.visit,
        "name": names.get(slot.visit, ""),
        "since": visit.since_ms if visit is not None else 0,
        "until": slot.until_ms,
    }


def _since(record: commands.AgentRecord, state: str, slots: list[dict[str, Any]]) -> int:
    if state == "away":
        return record.heard_ms
    begun = [slot["since"] for slot in slots if slot["kind"] == state and slot["since"]]
    return min(begun, default=record.since_ms)


def _queues(
    desk: Desk, figures: commands.DeskFigures | None, here: list[commands.AgentRecord], day: _Day
) -> list[dict[str, Any]]:
    rows = []
    for queue in desk.queues.select_related("desk__account"):
        now = figures.queues.get(queue.pk) if figures is not None else None
        rows.append(_queue(queue, now, day, sum(queue.pk in each.queues for each in here)))
    now_ms = figures.now_ms if figures is not None else 0
    rows.sort(key=lambda row: (-_lateness(row, now_ms), -row["waiting"]))
    return rows


def _lateness(row: Mapping[str, Any], now_ms: int) -> float:
    """Return the longest wait as a multiple of the queue's alarm time."""
    waited = (now_ms - int(row["oldest"])) / 1_000 if row["waiting"] and row["oldest"] else 0.0
    return waited / max(1, int(row["alarm_seconds"]))


def _queue(
    queue: Queue, now: commands.QueueFigures | None, day: _Day, online: int
) -> dict[str, Any]:
    today = day.counts.get(queue.pk, {})
    level = definitions.service_level(
        today.get("in_time", 0), today.get("served", 0), today.get("abandoned", 0)
    )
    return {
        "slug": queue.slug,
        "name": queue.name,
        "open": hours.is_open(queue),
        "waiting": now.waiting if now is not None else 0,
        "oldest": now.oldest_us // 1_000 if now is not None else 0,
        "alarm_seconds": queue.longest_wait_alarm_seconds,
        "level": round(level, 3) if level is not None else None,
        "goal": queue.service_level_alarm_percent / 100,
        "within": queue.answer_within_seconds,
        "online": online,
        "staff": day.staff[queue.pk],
    }


def _read_day(desk: Desk) -> _Day:
    today = wallboard.since_midnight(desk, timezone.now())
    served = today.filter(matched_at__isnull=False, ended_at__isnull=False)
    lasted = Avg(F("ended_at") - F("matched_at"))
    by_agent = served.values("agent__user_id").order_by()
    rows = by_agent.annotate(count=Count("pk"), lasted=lasted)
    mean = served.aggregate(mean=lasted)["mean"]
    shifts = AgentShift.objects.filter(agent__desk=desk, ended_at=None)
    agents = Agent.objects.filter(desk=desk, archived_at=None).prefetch_related("queues")
    reasons = pauses.read_reasons(desk.pause_reasons)
    return _Day(
        agents={agent.user_id: agent for agent in agents},
        staff=Counter(queue.pk for agent in agents for queue in agent.queues.all()),
        queue_slugs=dict(desk.queues.values_list("pk", "slug")),
        skills=dict(Skill.objects.filter(desk=desk).values_list("slug", "name")),
        limits={each.text: each.minutes * 60 for each in reasons},
        done={
            row["agent__user_id"]: (row["count"], _seconds(row["lasted"]))
            for row in rows
            if row["agent__user_id"]
        },
        missed=dict(
            shifts.values_list("agent__user_id").order_by().annotate(missed_sum=Sum("missed"))
        ),
        counts=wallboard.by_queue(desk, today),
        mean=_seconds(mean),
    )


def _seconds(span: Any) -> int | None:
    return round(span.total_seconds()) if span is not None else None


def line_of(queue: Queue) -> list[dict[str, str]]:
    """Explain in a sentence why each of the first 50 visitors of a queue is not served.

    The agents are checked once per set of needed skills, not once per visitor.
    """
    desk = queue.desk
    part = hotpath.run(commands.waiting(desk.slug, queue.pk, count=LINE_ROWS))
    found: dict[int, why.WhyNobody | None] = {}
    rows = []
    for place, visit in enumerate(part.visits):
        if visit.need not in found and visit.state == "waiting":
            found[visit.need] = why.why_nobody(desk, visit.visit)
        told = why.one_line(found.get(visit.need), place=place, state=visit.state)
        rows.append({"visit": visit.visit, "code": told.code, "words": told.words})
    return rows
