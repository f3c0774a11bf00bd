"""`manage.py timers`: run the process that makes everything happen when it is due."""

import asyncio
from typing import Any

from django.core.management.base import BaseCommand

from poolsite import tracing
from poolsite.runtime import startup
from poolsite.timers.process import Timers


class Command(BaseCommand):
    help = "Run the timers process until it is stopped. Run two or more of these."
    requires_migrations_checks = False
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        startup.verify()
        tracing.start("timers")
        asyncio.run(self._run())

    async def _run(self) -> None:
        timers = Timers()
        self.stdout.write(f"Timers {timers.name} running. Press Ctrl-C to stop.")
        await timers.run()
