"""`manage.py restore`: puts a backup back into SQL, Redis and the folder of files of rooms."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from poolsite.backup import manifest, restoring, taking
from poolsite.backup.errors import BackupError
from poolsite.backup.restoring import Restored

NEXT = """
Next:
  manage.py migrate               if this release is newer than the backup's
  manage.py scripts               load the scripts and functions
  start timers, workers and web   they recover every object; pools wait for their switches
  manage.py audit
  manage.py pool reconcile --check
  manage.py line check
"""


class Command(BaseCommand):
    help = "Restore a backup. The site must be stopped, and its stores empty without --replace."
    requires_system_checks = ()
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("backup", type=Path, help="a backup's folder, named by UTC")
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument(
            "--check", action="store_true", help="only compare the backup with its checksums"
        )
        what.add_argument("--yes", action="store_true", help="restore it")
        parser.add_argument(
            "--replace", action="store_true", help="delete what SQL and Redis hold now"
        )
        parser.add_argument(
            "--without-redis",
            action="store_true",
            help="leave Redis empty; the site rebuilds it from SQL",
        )
        parser.add_argument(
            "--without-files", action="store_true", help="leave the files of rooms as they are"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        folder = options["backup"].resolve()
        try:
            if options["check"]:
                self._tell(restoring.check(folder))
                return
            wanted = restoring.RestoreRequest(
                redis=not options["without_redis"],
                files=not options["without_files"],
                replace=options["replace"],
            )
            restored = restoring.restore(folder, wanted, self.stdout.write)
        except BackupError as error:
            raise CommandError(str(error)) from error
        self._tell(restored.manifest)
        self._tell_positions(folder, restored)
        self.stdout.write(NEXT.rstrip())

    def _tell(self, its: manifest.Manifest) -> None:
        what = "acknowledged" if its.redis else "written to SQL"
        self.stdout.write(
            f"Release {its.release}, {its.database}.\n"
            f"Taken at {its.complete_until}: everything {what} before is in this backup.\n"
            f"Everything acknowledged after {its.nothing_after} is not in this backup."
        )
        for reason in its.left_out:
            self.stdout.write(f"Not included: {reason}.")

    def _tell_positions(self, folder: Path, restored: Restored) -> None:
        if restored.manifest.only_in_redis and not restored.redis:
            objects = manifest.told(restored.manifest.only_in_redis)
            self.stdout.write(f"Only the copy of Redis has the latest entries of {objects}.")
        for server, positions in restored.redis.items():
            for kind, by_tag in sorted(positions.items()):
                where = f" on {server}" if server else ""
                self.stdout.write(f"{kind}{where}: {len(by_tag)} in Redis")
        self.stdout.write(f"The last entry of each object: {folder / taking.POSITIONS}")
