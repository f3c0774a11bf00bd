"""Why no one serves a visitor now: facts from the desk's script, in words that every page uses."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from poolsite import hotpath
from poolsite.kept import TtlCache
from queueing.line import desk as commands
from queueing.line import pauses
from queueing.line.models import Agent, Desk, Skill, Visit
from queueing.line.services.common import agents_at

AGENTS_TOLD: Final = 200
FRESH_SECONDS: Final = 3.0  # for the visitors' pages and the lines of the floor
NEAREST: Final = ("free", "declined", "offered", "wrap_up", "at_capacity", "skill", "leaving")
ORDER: Final = (*NEAREST, "paused", "away", "queue", "offline")
TALKING: Final = ("at_capacity", "offered", "leaving")


@dataclass(frozen=True, slots=True)
class Reason:
    """Why an agent does not serve a visit.

    `params`: numbers and names in `words`; times in seconds.
    """

    agent: int
    name: str
    code: str
    params: Mapping[str, Any] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """The reason in the reader's language."""
        words: str = _WORDS[self.code](self.params)
        return words


@dataclass(frozen=True, slots=True)
class WhyNobody:
    """Why no one serves a visit now, agent by agent. Those closest to serving it come first."""

    visit: str
    state: str
    mode: str
    reasons: Sequence[Reason]


def why_nobody(desk: Desk, visit: str, *, first: int = 0) -> WhyNobody | None:
    """Return the reasons of up to 200 agents, or None if the visit does not wait at this desk.

    first: the user ID of an agent to put before all others.
    """
    parts = list(_parts(desk, visit))
    if not parts:
        return None
    names = dict(Agent.objects.filter(desk=desk).values_list("user_id", "name"))
    skills = dict(Skill.objects.filter(desk=desk).values_list("slug", "name"))
    reasons = [
        Reason(row.agent, names.get(row.agent, ""), row.code, _params(row, part.now_ms, skills))
        for part in parts
        for row in part.rows
    ]
    reasons.sort(key=lambda row: (row.agent != first, ORDER.index(row.code), row.name))
    return WhyNobody(visit, parts[0].state, parts[0].mode, reasons)


def _parts(desk: Desk, visit: str) -> Iterator[commands.Why]:
    cursor, told = "0", 0
    while True:
        part = hotpath.run(commands.why(desk.slug, visit, cursor))
        if part is None:
            return
        yield part
        cursor, told = part.cursor, told + len(part.rows)
        if cursor == "0" or told >= AGENTS_TOLD:
            return


def _params(row: commands.Reason, now_ms: int, skills: Mapping[str, str]) -> dict[str, Any]:
    one, other = row.facts
    match row.code:
        case "at_capacity":
            return {"used": int(one), "rooms": int(other)}
        case "wrap_up":
            return {"seconds": max(0, int(one or 0) - now_ms) // 1_000}
        case "away":
            return {"seconds": max(0, now_ms - int(one or 0)) // 1_000}
        case "declined":
            return {"seconds": -(-int(one) // 1_000)}
        case "paused":
            reason = "" if other == "-" else other.replace("_", " ")
            return {"reason": reason, "seconds": max(0, now_ms - int(one or 0)) // 1_000}
        case "leaving":
            return {"to": "logout" if one == "l" else "pause"}
        case "skill":
            skill, has, needs = one.split(":")
            name = skills.get(skill, skill)
            return {"skill": name, "has": int(has), "needs": int(needs), "free": other == "1"}
    return {}


# -- texts -----------------------------------------------------------------------------------------


def _full(params: Mapping[str, Any]) -> str:
    words: str = ngettext(
        "Full, %(used)s of %(rooms)s room", "Full, %(used)s of %(rooms)s rooms", params["rooms"]
    )
    return words % params


def _skill(params: Mapping[str, Any]) -> str:
    if not params["has"]:
        words = _("Free, but lacks %(skill)s") if params["free"] else _("Lacks %(skill)s")
    elif params["free"]:
        words = _("Free, but %(skill)s level %(has)s of %(needs)s")
    else:
        words = _("%(skill)s level %(has)s of %(needs)s")
    return words % params


def _paused(params: Mapping[str, Any]) -> str:
    told = {"reason": pauses.words_of(params["reason"]), "m": params["seconds"] // 60}
    return (_("Paused: %(reason)s, %(m)s min") if told["reason"] else _("Paused, %(m)s min")) % told


def _wrap_up(params: Mapping[str, Any]) -> str:
    return _("Wrap-up, free in %(time)s") % {"time": clock(params["seconds"])}


def clock(seconds: int) -> str:
    """Return minutes and seconds, such as 0:38."""
    return f"{seconds // 60}:{seconds % 60:02d}"


_WORDS: Final[Mapping[str, Any]] = {
    "offline": lambda _params: _("Offline"),
    "queue": lambda _params: _("Does not serve this queue"),
    "away": lambda params: _("No heartbeat for %(seconds)s s") % params,
    "paused": _paused,
    "leaving": lambda params: (
        _("Goes offline after this room")
        if params["to"] == "logout"
        else _("Pauses after this room")
    ),
    "skill": _skill,
    "offered": lambda _params: _("Has an offer to answer"),
    "at_capacity": _full,
    "wrap_up": _wrap_up,
    "declined": lambda params: _("Declined, %(seconds)s s left") % params,
    "free": lambda _params: _("Free"),
}


# -- the reason in one line ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OneLine:
    """Why a visitor is not served, in one sentence."""

    code: str
    words: str


def one_line(found: WhyNobody | None, *, place: int, state: str) -> OneLine:
    """Return the sentence for a visitor at a place in the line (0 is next)."""
    if state == "away":
        return OneLine("visitor_away", _("Connection lost, place held"))
    if state == "offered":
        return OneLine("offered", _("Being offered to an agent"))
    code, words = _of_agents(found)
    if place and code not in ("nobody", "skill"):
        behind: str = ngettext("Behind %(n)s visitor", "Behind %(n)s visitors", place)
        return OneLine("behind", f"{behind % {'n': place}}. {words}")
    return OneLine(code, words)


def _of_agents(found: WhyNobody | None) -> tuple[str, str]:
    """Return the obstacle, judging by the agents who serve the queue."""
    serving = [row for row in found.reasons if row.code != "queue"] if found is not None else []
    there = [row for row in serving if row.code != "offline"]
    if not there:
        return "nobody", _("No agent of this queue is online")
    codes = Counter(row.code for row in there)
    if codes["free"]:
        manual = found is not None and found.mode == "m"
        return "free", _("An agent is free and can take this visitor") if manual else _(
            "Next in line"
        )
    if codes["wrap_up"]:
        soonest = min(
            (row for row in there if row.code == "wrap_up"), key=lambda row: row.params["seconds"]
        )
        told = {"name": soonest.name, "time": clock(soonest.params["seconds"])}
        return "wrap_up", _("Next agent free: %(name)s, in %(time)s") % told
    if codes["skill"] == len(there):
        skills = sorted({str(row.params["skill"]) for row in there})
        return "skill", _("No agent online with the required level of %(skills)s") % {
            "skills": ", ".join(skills)
        }
    for code, words in (
        ("at_capacity", _("All agents are in rooms")),
        ("declined", _("Declined: another agent is offered this visitor first")),
    ):
        if codes[code]:
            return code, words
    return "busy", _("No agent is available")


# -- what visitors see -----------------------------------------------------------------------------

_STANDS: "TtlCache[tuple[str, int], dict[str, int]]" = TtlCache(FRESH_SECONDS)


def agents_of_queue(desk: str, queue: int) -> dict[str, int]:
    """Return how many agents of a queue do what, without names and reasons.

    {"agents", "free", "talking", "wrap_up", "paused"}; agents who are offline or not responding are
    not counted. Read at most once in three seconds per queue and process, whatever the number of
    waiting visitors.
    """
    return _STANDS.get((desk, queue), lambda: _count(desk, queue))


def _count(desk: str, queue: int) -> dict[str, int]:
    counts: Counter[str] = Counter(agents=0, free=0, talking=0, wrap_up=0, paused=0)
    for record in agents_at(desk):
        if queue in record.queues and record.state != "offline" and not record.away_since_ms:
            counts["agents"] += 1
            counts[_doing(record)] += 1
    return dict(counts)


def _doing(record: commands.AgentRecord) -> str:
    kinds = {slot.kind for slot in record.slots}
    if kinds & {"room", "offer"} and len(record.slots) >= record.capacity:
        return "wrap_up" if "wrap_up" in kinds else "talking"
    if record.state == "paused":
        return "paused"
    return "wrap_up" if len(record.slots) >= record.capacity else "free"


def skills_of_visit(visit: str) -> list[str]:
    """Return the names of the skills that a visitor needs."""
    row = Visit.objects.filter(public_id=visit).only("skills", "desk_id").first()
    if row is None or not row.skills:
        return []
    names = dict(Skill.objects.filter(desk=row.desk_id).values_list("slug", "name"))
    return [names.get(slug, slug) for slug in row.skills]
