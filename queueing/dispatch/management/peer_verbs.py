"""Verbs of `manage.py dispatch` about instances, links and sessions."""

from typing import Any

from django.core.management.base import CommandError

from poolsite import hotpath
from poolsite.console.commands import moment_of_text
from queueing.dispatch import dispatcher as commands
from queueing.dispatch import selectors, services
from queueing.dispatch.management.common import ACTOR, Options, Say, group_of
from queueing.dispatch.selectors.peers import peer_of
from queueing.dispatch.selectors.sessions import route_rows

MANUAL = {"open": "open", "drain": "drain", "block": "blocked"}
PEER_HELP, SESSION_HELP = "f:<front-end's ID> or b:<instance's ID>", "front-end/number"
PAGE = 500


def add_verbs(verbs: Any, say: Say) -> None:
    """Add the verbs to the command."""
    for verb, told in (
        ("open", "let an instance accept new sessions"),
        ("drain", "stop new sessions; open sessions continue"),
        ("block", "stop new sessions and end the open ones"),
    ):
        one = verbs.add_parser(verb, help=told)
        one.add_argument("slug")
        one.add_argument("name")
        one.add_argument("--reason", default="", required=verb != "open")
        if verb != "open":
            one.add_argument("--until", default="", help="2026-01-31T08:00+08:00")
        one.set_defaults(run=lambda options: _set(options, say))
    for verb, told in (
        ("backup", "give an instance new sessions only while no primary can take them"),
        ("primary", "make a backup instance a primary again"),
    ):
        one = verbs.add_parser(verb, help=told)
        one.add_argument("slug")
        one.add_argument("name")
        one.add_argument("--reason", default="", required=verb == "backup")
        one.set_defaults(run=lambda options: _set_backup(options, say))
    for verb, run, word, told, help_text in (
        ("uneject", _uneject, "name", "end the ejection of an instance", None),
        ("forget", _forget, "name", "remove the name of a stopped instance", None),
        ("disconnect", _disconnect, "peer", "close a peer's link", PEER_HELP),
        (
            "end-session",
            _end,
            "session",
            "end a session; both ends are notified",
            SESSION_HELP,
        ),
    ):
        one = verbs.add_parser(verb, help=told)
        one.add_argument("slug")
        one.add_argument(word, help=help_text)
        one.add_argument("--reason", required=True)
        one.set_defaults(run=lambda options, run=run: run(options, say))
    sessions = verbs.add_parser("sessions", help="list the sessions of a peer")
    sessions.add_argument("slug")
    sessions.add_argument("peer", help=PEER_HELP)
    sessions.set_defaults(run=lambda options: _sessions(options, say))
    explain = verbs.add_parser("explain", help="explain a session's route")
    explain.add_argument("slug")
    explain.add_argument("session", help=SESSION_HELP)
    explain.set_defaults(run=lambda options: _explain(options, say))


def _set(options: Options, say: Say) -> None:
    until = options.get("until", "")
    instance = services.instance_set(
        actor=ACTOR,
        group=group_of(options),
        name=options["name"],
        state=MANUAL[options["verb"]],
        reason=options["reason"],
        until=moment_of_text(until) if until else None,
    )
    say(f"{instance.name}: {instance.manual_state}")


def _set_backup(options: Options, say: Say) -> None:
    instance = services.instance_backup(
        actor=ACTOR,
        group=group_of(options),
        name=options["name"],
        backup=options["verb"] == "backup",
        reason=options["reason"],
    )
    say(f"{instance.name}: {options['verb']}")


def _uneject(options: Options, say: Say) -> None:
    group, name = group_of(options), options["name"]
    services.instance_uneject(actor=ACTOR, group=group, name=name, reason=options["reason"])
    say(f"{name}: ejection ended")


def _forget(options: Options, say: Say) -> None:
    group, name = group_of(options), options["name"]
    services.name_forget(actor=ACTOR, group=group, name=name, reason=options["reason"])
    say(f"{name}: removed")


def _disconnect(options: Options, say: Say) -> None:
    group, peer = group_of(options), options["peer"]
    services.peer_disconnect(actor=ACTOR, group=group, peer=peer, reason=options["reason"])
    say(f"{peer}: link closed")


def _end(options: Options, say: Say) -> None:
    group, session = group_of(options), options["session"]
    services.session_end(actor=ACTOR, group=group, session=session, reason=options["reason"])
    say(f"{session}: ended")


def _sessions(options: Options, say: Say) -> None:
    group, peer = group_of(options), options["peer"]
    if peer_of(group, peer, hotpath.run(commands.peers(group.slug))) is None:
        raise CommandError(f"Peer {peer} not found.")
    count, after = 0, ""
    while True:
        page = hotpath.run(commands.sessions_of(group.slug, peer, after, PAGE))
        for row in route_rows(page):
            say(_route(row.route, row.age_seconds))
        count, after = count + len(page.rows), page.after
        if not after:
            break
    say(f"{count} sessions")


def _route(route: commands.Route, age_seconds: int) -> str:
    if not route.live:
        state = "void"
    elif route.ending:
        state = "ending"
    else:
        state = "reported by one end" if route.provisional else "in progress"
    return (
        f"{route.session}  {route.front} → {route.back_name or route.back}  {state}  "
        f"{age_seconds} s  messages {route.messages_from_front}+{route.messages_from_back}"
    )


def _explain(options: Options, say: Say) -> None:
    story = selectors.session_story(group_of(options), options["session"])
    if story is None:
        raise CommandError(f"Session {options['session']} not found.")
    for name, value in selectors.session_out(story).items():
        say(f"{name}: {value}")
