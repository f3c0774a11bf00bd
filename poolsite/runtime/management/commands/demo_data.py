"""`manage.py demo_data`: accounts, users, pools, the simulator's configuration, and a past."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from poolsite.runtime import demo_data


class Command(BaseCommand):
    help = "Create the demo's accounts, users, pools and tokens. Safe to run again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--past", action="store_true", help="only the history, which is created last"
        )
        parser.add_argument(
            "--small", action="store_true", help="only a little data, for fault tests"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["past"]:
            demo_data.make(small=options["small"])
        if not options["small"]:
            demo_data.fill_in()
