"""What the demo needs before its first process starts, in one Python process."""

import os
import traceback
from typing import Any

from django.core.management import CommandError, call_command, get_commands
from django.core.management.base import BaseCommand

from poolsite.runtime import fresh_schema


class Command(BaseCommand):
    help = "Migrate, collect the static files, and make the demo's data; harmless to repeat."

    def handle(self, *args: Any, **options: Any) -> None:
        collecting = _begin_to_collect()  # on another core
        if not fresh_schema.lay():
            call_command("migrate", interactive=False, verbosity=1)
        if "demo_data" in get_commands():
            call_command("demo_data")
        if os.waitstatus_to_exitcode(os.waitpid(collecting, 0)[1]):
            raise CommandError("The static files were not collected.")


def _begin_to_collect() -> int:
    """Collect the static files in a child of this process, which has no connections yet."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        call_command("collectstatic", interactive=False, verbosity=0)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)
