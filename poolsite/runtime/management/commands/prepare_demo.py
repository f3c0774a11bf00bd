"""What the demo needs before its first process starts, in one Python process."""

from typing import Any

from django.core.management import call_command, get_commands
from django.core.management.base import BaseCommand


class Command(BaseCommand):
    help = "Migrate, collect the static files, and make the demo's data; harmless to repeat."

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", interactive=False, verbosity=1)
        call_command("collectstatic", interactive=False, verbosity=0)
        if "demo_data" in get_commands():
            call_command("demo_data")
