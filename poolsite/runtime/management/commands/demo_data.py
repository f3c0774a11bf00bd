"""`manage.py demo_data`: accounts, users, pools and what the simulator plays."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from poolsite.runtime import demo_data


class Command(BaseCommand):
    help = "Make the demo's accounts, users, pools and tokens; harmless to repeat."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--small", action="store_true", help="little data, for fault tests")

    def handle(self, *args: Any, **options: Any) -> None:
        demo_data.make(small=options["small"])
