"""`manage.py line`: look at desks, hold them against the laws, erase a visitor."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from poolsite import hotpath
from queueing.line import desk as door
from queueing.line import laws
from queueing.line.errors import LineError
from queueing.line.models import Desk
from queueing.line.services import erasing


class Command(BaseCommand):
    help = (
        "check: exit 1 if a desk breaks one of the four laws. show: show its queues. "
        "erase: erase a visitor's messages and names, by --visit or --contact, with --reason."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("what", choices=["check", "show", "erase"])
        parser.add_argument("desk", nargs="?", help="slug of the desk; default: all desks")
        parser.add_argument("--visit", default="", help="erase: ID of one visit")
        parser.add_argument(
            "--contact", default="", help="erase: everything with this phone number or email"
        )
        parser.add_argument("--reason", default="", help="erase: reason for the audit log")

    def handle(self, *args: Any, **options: Any) -> None:
        desks = Desk.objects.order_by("slug")
        if options["desk"]:
            desks = desks.filter(slug=options["desk"])
            if not desks:
                raise CommandError(f"Desk {options['desk']} not found.")
        if options["what"] == "erase":
            self.erase(desks.first() if options["desk"] else None, options)
            return
        drift = sum(
            (self.check_desk if options["what"] == "check" else self.show)(desk) for desk in desks
        )
        if drift:
            raise CommandError(f"{drift} violations found.", returncode=1)

    def check_desk(self, desk: Desk) -> int:
        """Print what contradicts the laws; return how many."""
        wrong = laws.check(desk.slug)
        for thing, what in wrong:
            self.stdout.write(f"{desk.slug}  {thing}  {what}")
        if not wrong:
            self.stdout.write(f"{desk.slug}  keeps the four laws")
        return len(wrong)

    def erase(self, desk: Desk | None, options: dict[str, Any]) -> None:
        """Erase a visitor of one desk; nothing is printed that names the person."""
        if desk is None:
            raise CommandError("Give the desk's slug.")
        given = {name: options[name] for name in ("visit", "contact", "reason")}
        try:
            done = erasing.visitor_erase(actor="manage.py line erase", desk=desk, **given)
        except LineError as error:
            raise CommandError(error.detail) from None
        self.stdout.write(
            f"{desk.slug}  erased: {done.visits} visits, {done.messages} messages, "
            f"{done.left_messages} left messages"
        )

    def show(self, desk: Desk) -> int:
        """Print a desk's queues."""
        figures = hotpath.run(door.show(desk.slug))
        if figures is None:
            self.stdout.write(f"{desk.slug}  not in Redis")
            return 0
        self.stdout.write(f"{desk.slug}  {figures.status}  seq {figures.seq}")
        for queue in desk.queues.all():
            of_queue = figures.queues.get(queue.pk)
            if of_queue is not None:
                text = f"waiting {of_queue.waiting}  online {of_queue.online}  free {of_queue.free}"
                self.stdout.write(f"  {queue.slug}  {text}")
        return 0
