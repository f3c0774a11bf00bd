"""`manage.py line`: look at desks, and hold them against the laws."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from poolsite import hotpath
from queueing.line import desk as door
from queueing.line import laws
from queueing.line.models import Desk


class Command(BaseCommand):
    help = "check: exit 1 when a desk breaks one of the four laws. show: its queues now."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("what", choices=["check", "show"])
        parser.add_argument("desk", nargs="?", help="its slug; without one: every desk")

    def handle(self, *args: Any, **options: Any) -> None:
        desks = Desk.objects.order_by("slug")
        if options["desk"]:
            desks = desks.filter(slug=options["desk"])
            if not desks:
                raise CommandError(f"There is no desk {options['desk']}.")
        drift = sum(
            (self.check_desk if options["what"] == "check" else self.show)(desk) for desk in desks
        )
        if drift:
            raise CommandError(f"{drift} contradictions.", returncode=1)

    def check_desk(self, desk: Desk) -> int:
        """Print what contradicts the laws; return how many."""
        wrong = laws.check(desk.slug)
        for thing, what in wrong:
            self.stdout.write(f"{desk.slug}  {thing}  {what}")
        if not wrong:
            self.stdout.write(f"{desk.slug}  keeps the four laws")
        return len(wrong)

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
