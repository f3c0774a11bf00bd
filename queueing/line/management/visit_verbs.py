"""`manage.py line`: verbs for visits and visitors."""

from datetime import datetime
from typing import Any

from django.core.management.base import CommandError

from poolsite.console.commands import moment_of_text
from queueing.line.management.verbs import (
    ACTOR,
    ROWS,
    Options,
    Say,
    Verbs,
    add_reason,
    agent_of,
    desk_of,
    queue_of,
    visit_of,
)
from queueing.line.models import BlockedVisitor, OutcomeCode
from queueing.line.selectors import consoles
from queueing.line.selectors.visits import WantedVisits, visits_of
from queueing.line.services import desk_settings, guests, hours, outcomes, rooms


def add(verbs: Verbs) -> None:
    """Add the verbs."""
    listed = verbs.add("visits", "list the latest visits", _list, "desk")
    listed.add_argument("--queue", default="", help="slug")
    listed.add_argument("--agent", default="", help="username of the last agent")
    listed.add_argument("--state", default="", choices=("", "waiting", "room", "ended"))
    listed.add_argument("--from", dest="since", default="", help="2026-01-31T08:00+08:00")
    listed.add_argument("--until", default="", help="joined before this time")
    listed.add_argument("--rating", type=int, help="1 to 5")
    listed.add_argument("--count", type=int, default=ROWS)
    verbs.add("visit", "print a visit's transcript", _transcript, "desk", "visit")
    end = verbs.add("visit-end", "end a visit", _end, "desk", "visit")
    add_reason(end, required=True)
    add_reason(verbs.add("visit-front", "move to the front of its class", _front, "desk", "visit"))
    move = verbs.add("visit-move", "move to another queue", _move, "desk", "visit", "queue")
    add_reason(move)
    over = verbs.add("visit-take-over", "give a room to an agent", _over, "desk", "visit", "user")
    add_reason(over, required=True)
    verbs.add("visit-outcome", 'set an outcome; "": none', _outcome, "desk", "visit", "outcome")
    verbs.add("blocked", "list blocked addresses", _blocked, "desk")
    block = verbs.add("block", "refuse visitors from an address", _block, "desk", "address")
    block.add_argument("--until", default="", help="2026-01-31T08:00+08:00; default: for good")
    add_reason(block, required=True)
    verbs.add("unblock", "let an address join again", _unblock, "desk", "address")


def _moment(text: str) -> datetime | None:
    return moment_of_text(text) if text else None


def _list(options: Options, say: Say) -> None:
    desk = desk_of(options)
    wanted = WantedVisits(
        queue=queue_of(desk, options["queue"]).slug if options["queue"] else "",
        agent=agent_of(desk, options["agent"]).user_id if options["agent"] else None,
        state=options["state"],
        since=_moment(options["since"]),
        until=_moment(options["until"]),
        stars=options["rating"],
    )
    for row in visits_of(desk, wanted).order_by("-pk")[: max(1, options["count"])]:
        agent = row.agent.name if row.agent is not None else "-"
        end = row.outcome or "running"
        say(f"{row.public_id}  {row.joined_at.isoformat()}  {row.queue.slug}  {end}  {agent}")


def _transcript(options: Options, say: Say) -> None:
    visit = visit_of(options)
    say(consoles.transcript(visit, hours.queue_zone(visit.queue)))


def _end(options: Options, say: Say) -> None:
    visit = visit_of(options)
    rooms.visit_end_by_supervisor(actor=ACTOR, visit=visit, reason=options["reason"])
    say(f"Visit {visit.public_id} ended.")


def _front(options: Options, say: Say) -> None:
    visit = visit_of(options)
    _moved(options, queue=guests.queue_of(visit), front=True)
    say(f"Visit {visit.public_id} is at the front of its class.")


def _move(options: Options, say: Say) -> None:
    queue = queue_of(desk_of(options), options["queue"])
    _moved(options, queue=queue)
    say(f"Visit {options['visit']} moved to {queue.slug}.")


def _moved(options: Options, **where: Any) -> None:
    rooms.visit_move(actor=ACTOR, visit=visit_of(options), reason=options["reason"], **where)


def _over(options: Options, say: Say) -> None:
    agent = agent_of(desk_of(options), options["user"])
    rooms.visit_take_over(
        actor=ACTOR, visit=visit_of(options), agent=agent, reason=options["reason"]
    )
    say(f"{agent.name} took over visit {options['visit']}.")


def _outcome(options: Options, say: Say) -> None:
    visit, name = visit_of(options), options["outcome"]
    code = OutcomeCode.objects.filter(desk=visit.desk, archived_at=None, name=name).first()
    if name and code is None:
        raise CommandError(f"Outcome {name} not found at desk {visit.desk.slug}.")
    outcomes.visit_outcome(actor=ACTOR, visit=visit, code=code)
    say(f"Visit {visit.public_id}: {name or 'no outcome'}")


def _blocked(options: Options, say: Say) -> None:
    for row in desk_of(options).blocked_visitors.order_by("key"):
        say(f"{row.key}  until {row.until.isoformat() if row.until else 'unblocked'}  {row.reason}")


def _block(options: Options, say: Say) -> None:
    desk_settings.visitor_block(
        actor=ACTOR,
        desk=desk_of(options),
        key=options["address"],
        reason=options["reason"],
        until=_moment(options["until"]),
    )
    say(f"{options['address']} blocked.")


def _unblock(options: Options, say: Say) -> None:
    rows = BlockedVisitor.objects.select_related("desk__account").filter(desk=desk_of(options))
    found = rows.filter(key=options["address"]).first()
    if found is None:
        raise CommandError(f"{options['address']} isn't blocked.")
    desk_settings.visitor_unblock(actor=ACTOR, blocked=found)
    say(f"{options['address']} unblocked.")
