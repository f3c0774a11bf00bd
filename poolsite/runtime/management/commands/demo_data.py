"""`manage.py demo_data`: accounts, users, pools, what the simulator plays, and a past."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from poolsite.runtime import demo_data


class Command(BaseCommand):
    help = "Make the demo's accounts, users, pools and tokens; harmless to repeat."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--past", action="store_true", help="the past alone, made last")
        parser.add_argument("--small", action="store_true", help="little data, for fault tests")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["past"]:
            demo_data.make(small=options["small"])
        if not options["small"]:
            demo_data.fill_in()
