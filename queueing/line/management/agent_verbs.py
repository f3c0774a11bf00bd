"""`manage.py line`: verbs for agents, who are named by their username."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from queueing.line.management.verbs import (
    ACTOR,
    Options,
    Say,
    Verbs,
    add_reason,
    agent_of,
    desk_of,
    pairs_of,
    queue_of,
)
from queueing.line.models import Desk
from queueing.line.selectors.people import people_of
from queueing.line.selectors.wallboard import state_of
from queueing.line.services import desk_settings, desks, rooms
from queueing.line.services.common import agents_at


def add(verbs: Verbs) -> None:
    """Add the verbs."""
    verbs.add("agents", "list a desk's agents with their state", _list, "desk")
    _settings(verbs.add("agent-add", "make a member an agent", _create, "desk", "user"))
    change = verbs.add("agent-set", "change an agent's settings", _set, "desk", "user")
    _settings(change)
    add_reason(change)
    archive = verbs.add("agent-archive", "an agent serves no more", _archive, "desk", "user")
    add_reason(archive)
    verbs.add("agent-restore", "an archived agent serves again", _restore, "desk", "user")
    pause = verbs.add("agent-pause", "pause an agent after its rooms", _pause, "desk", "user")
    pause.add_argument("--reason", required=True, help="one of the desk's pause reasons")
    out = verbs.add("agent-logout", "log an agent out immediately", _log_out, "desk", "user")
    add_reason(out, required=True)


def _settings(parser: ArgumentParser) -> None:
    parser.add_argument("--name", help="shown to visitors")
    parser.add_argument("--capacity", type=int, help="most rooms at the same time")
    parser.add_argument("--queue", action="append", dest="queues", help="slug; repeat for more")
    parser.add_argument("--skill", action="append", dest="skills", help="english=2; all skills")
    parser.add_argument("--phone", help="for callbacks")


def _given(desk: Desk, options: Options) -> dict[str, Any]:
    named = ("name", "capacity", "phone")
    given = {name: options[name] for name in named if options[name] is not None}
    if options["queues"]:
        given["queues"] = [queue_of(desk, slug) for slug in options["queues"]]
    if options["skills"] is not None:
        given["skills"] = pairs_of(options["skills"], "skills")
        known = set(desk.skills.values_list("slug", flat=True))
        if unknown := sorted(set(given["skills"]) - known):
            raise CommandError(f"Desk {desk.slug} has no skill {unknown[0]}.")
    return given


def _list(options: Options, say: Say) -> None:
    desk = desk_of(options)
    here = {each.agent: each for each in agents_at(desk.slug) if each.state != "offline"}
    for agent in desk.agents.select_related("user").prefetch_related("queues"):
        record = here.get(agent.user_id)
        state = "archived" if agent.archived_at else state_of(record) if record else "offline"
        queues = ",".join(sorted(queue.slug for queue in agent.queues.all()))
        say(f"{agent.user.get_username()}  {state}  {queues}  {agent.name}")


def _create(options: Options, say: Say) -> None:
    desk = desk_of(options)
    user = people_of(desk).filter(username=options["user"]).first()
    if user is None:
        raise CommandError(
            f"{options['user']} isn't a member of the desk's account, or is an agent already."
        )
    given = {"name": user.display_name} | _given(desk, options)
    if "queues" not in given:
        raise CommandError("Give at least one queue: --queue")
    agent = desks.agent_create(actor=ACTOR, desk=desk, user=user, **given)
    say(f"Agent {agent.name} added.")


def _set(options: Options, say: Say) -> None:
    desk = desk_of(options)
    given = _given(desk, options)
    if not given:
        raise CommandError("Give at least one setting. See --help.")
    agent = agent_of(desk, options["user"])
    desks.agent_configure(actor=ACTOR, agent=agent, reason=options["reason"], **given)
    say(f"Agent {agent.name} changed: {', '.join(sorted(given))}")


def _archive(options: Options, say: Say) -> None:
    agent = agent_of(desk_of(options), options["user"])
    desk_settings.agent_archive(actor=ACTOR, agent=agent, reason=options["reason"])
    say(f"Agent {agent.name} archived.")


def _restore(options: Options, say: Say) -> None:
    agent = agent_of(desk_of(options), options["user"])
    desk_settings.agent_restore(actor=ACTOR, agent=agent)
    say(f"Agent {agent.name} restored.")


def _pause(options: Options, say: Say) -> None:
    agent = agent_of(desk_of(options), options["user"])
    rooms.agent_pause_by_supervisor(actor=ACTOR, agent=agent, reason=options["reason"])
    say(f"Agent {agent.name} is paused when the last room has ended.")


def _log_out(options: Options, say: Say) -> None:
    agent = agent_of(desk_of(options), options["user"])
    rooms.agent_log_out_now(actor=ACTOR, agent=agent, reason=options["reason"])
    say(f"Agent {agent.name} was logged out.")
