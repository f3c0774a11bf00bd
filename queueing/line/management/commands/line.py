"""`manage.py line`: desks from the command line, with the operations of the pages and the API."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from poolsite import hotpath
from poolsite.console.commands import VerbCommand
from queueing.line import desk as commands
from queueing.line import laws
from queueing.line.management import (
    agent_verbs,
    desk_verbs,
    list_verbs,
    queue_verbs,
    visit_verbs,
)
from queueing.line.management.verbs import Verbs
from queueing.line.models import Desk
from queueing.line.services import erasing


class Command(VerbCommand):
    """Check, show and set up desks; their queues, agents, visits and lists."""

    help = (
        "check: exit 1 if a desk breaks one of the four laws. show: show its queues. "
        "erase: erase a visitor's messages and names. Other verbs: see --help."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parsers = parser.add_subparsers(dest="verb", required=True, metavar="verb")
        for verb, run, told in (
            ("check", self._check, "exit 1 if a desk breaks one of the four laws"),
            ("show", self._show, "show a desk's queues"),
        ):
            one = parsers.add_parser(verb, help=told)
            one.add_argument("desk", nargs="?", default="", help="slug; default: all desks")
            one.set_defaults(run=run)
        erase = parsers.add_parser("erase", help="erase a visitor's messages and names")
        erase.add_argument("desk", nargs="?", default="", help="slug of the desk")
        erase.add_argument("--visit", default="", help="ID of one visit")
        erase.add_argument(
            "--contact", default="", help="everything with this phone number or email"
        )
        erase.add_argument("--reason", default="", help="for the audit log")
        erase.set_defaults(run=self._erase)
        verbs = Verbs(parsers, lambda text: self.stdout.write(text))
        for module in (desk_verbs, queue_verbs, agent_verbs, visit_verbs, list_verbs):
            module.add(verbs)

    def _check(self, options: dict[str, Any]) -> None:
        drift = sum(self.check_desk(desk) for desk in _desks(options))
        if drift:
            raise CommandError(f"{drift} violations found.", returncode=1)

    def check_desk(self, desk: Desk) -> int:
        """Print the violations of the laws and return their number."""
        wrong = laws.check(desk.slug)
        for thing, what in wrong:
            self.stdout.write(f"{desk.slug}  {thing}  {what}")
        if not wrong:
            self.stdout.write(f"{desk.slug}  keeps the four laws")
        return len(wrong)

    def _erase(self, options: dict[str, Any]) -> None:
        """Erase a visitor of one desk. The output does not name the person."""
        if not options["desk"]:
            raise CommandError("Give the desk's slug.")
        (desk,) = _desks(options)
        given = {name: options[name] for name in ("visit", "contact", "reason")}
        done = erasing.visitor_erase(actor="manage.py line erase", desk=desk, **given)
        self.stdout.write(
            f"{desk.slug}  erased: {done.visits} visits, {done.messages} messages, "
            f"{done.left_messages} left messages"
        )

    def _show(self, options: dict[str, Any]) -> None:
        for desk in _desks(options):
            self.show(desk)

    def show(self, desk: Desk) -> None:
        """Print a desk's queues."""
        figures = hotpath.run(commands.show(desk.slug))
        if figures is None:
            self.stdout.write(f"{desk.slug}  not in Redis")
            return
        self.stdout.write(f"{desk.slug}  {figures.status}  seq {figures.seq}")
        for queue in desk.queues.all():
            of_queue = figures.queues.get(queue.pk)
            if of_queue is not None:
                text = f"waiting {of_queue.waiting}  online {of_queue.online}  free {of_queue.free}"
                self.stdout.write(f"  {queue.slug}  {text}")


def _desks(options: dict[str, Any]) -> list[Desk]:
    desks = Desk.objects.order_by("slug")
    if not options["desk"]:
        return list(desks)
    found = list(desks.filter(slug=options["desk"]))
    if not found:
        raise CommandError(f"Desk {options['desk']} not found.")
    return found
