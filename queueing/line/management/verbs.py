"""Helpers of the verbs of `manage.py line`: parsers, and lookup of the named objects."""

from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Callable, Iterable
from typing import Any, Final

from django.core.management.base import CommandError

from queueing.line.models import Agent, Desk, Queue, Visit

ACTOR: Final = "manage.py line"
ROWS: Final = 50
Say = Callable[[str], object]
Options = dict[str, Any]
Run = Callable[[Options, Say], None]


class Verbs:
    """Adds verbs to the command."""

    def __init__(self, parsers: "_SubParsersAction[Any]", say: Say) -> None:
        self._parsers, self._say = parsers, say

    def add(self, name: str, told: str, run: Run, *places: str) -> ArgumentParser:
        """Add a verb with its positional arguments and return its parser."""
        parser: ArgumentParser = self._parsers.add_parser(name, help=told)
        for place in places:
            parser.add_argument(place)
        parser.set_defaults(run=lambda options: run(options, self._say))
        return parser


def add_reason(parser: ArgumentParser, *, required: bool = False) -> None:
    """Add the option for the reason in the audit log."""
    parser.add_argument("--reason", default="", required=required, help="for the audit log")


def desk_of(options: Options) -> Desk:
    """Return the named desk. Raise CommandError if there is none."""
    found = Desk.objects.select_related("account").filter(slug=options["desk"]).first()
    if found is None:
        raise CommandError(f"Desk {options['desk']} not found.")
    return found


def queue_of(desk: Desk, slug: str) -> Queue:
    """Return a queue of the desk. Raise CommandError if there is none."""
    found = Queue.objects.select_related("desk__account").filter(desk=desk, slug=slug).first()
    if found is None:
        raise CommandError(f"Queue {slug} not found at desk {desk.slug}.")
    return found


def agent_of(desk: Desk, username: str) -> Agent:
    """Return the desk's agent with this username. Raise CommandError if there is none."""
    rows = Agent.objects.select_related("desk__account", "user")
    found = rows.filter(desk=desk, user__username=username).first()
    if found is None:
        raise CommandError(f"Agent {username} not found at desk {desk.slug}.")
    return found


def visit_of(options: Options) -> Visit:
    """Return the named visit of the desk. Raise CommandError if there is none."""
    rows = Visit.objects.select_related("desk__account", "queue", "agent", "outcome_code")
    found = rows.filter(desk=desk_of(options), public_id=options["visit"]).first()
    if found is None:
        raise CommandError(f"Visit {options['visit']} not found.")
    return found


def pairs_of(texts: Iterable[str], what: str) -> dict[str, int]:
    """Return levels by name from texts like `english=2`. Raise CommandError for other texts."""
    found = {}
    for text in texts:
        name, _equals, level = text.partition("=")
        if not (name and level.isascii() and level.isdecimal()):
            raise CommandError(f"{text}: give {what} as english=2.")
        found[name] = int(level[:9])
    return found
