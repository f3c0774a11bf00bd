"""Prepares everything that the demo needs before its first process, in one Python process."""

import os
import traceback
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import CommandError, call_command
from django.core.management.base import BaseCommand

from poolsite.runtime import demo_data, fresh_schema


class Command(BaseCommand):
    help = "Migrate, collect static files, create the demo data except its history. Safe to repeat."

    def handle(self, *args: Any, **options: Any) -> None:
        collecting = _begin_to_collect()  # on another core
        if fresh_schema.lay():
            demo_data.filled_mark(Path(settings.DATA_DIR)).unlink(missing_ok=True)
        else:
            call_command("migrate", interactive=False, verbosity=1)
        demo_data.make()
        if os.waitstatus_to_exitcode(os.waitpid(collecting, 0)[1]):
            raise CommandError("Collecting the static files failed.")


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
