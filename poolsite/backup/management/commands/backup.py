"""`manage.py backup`: a copy of Redis, SQL, files of rooms and settings that fit together."""

from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from poolsite.backup import manifest, taking
from poolsite.backup.errors import BackupError


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError("give a number of 1 or more")
    return int(text)


class Command(BaseCommand):
    help = (
        "Back up Redis, SQL, files of rooms and settings without secrets, in a new folder named by "
        "UTC. The site may be running."
    )
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="where the new folder is created")
        parser.add_argument(
            "--keep", type=_count, metavar="N", help="then delete all but the newest N backups"
        )
        parser.add_argument(
            "--without-redis",
            action="store_true",
            help="back up SQL alone, for instance while Redis is down",
        )
        parser.add_argument("--without-files", action="store_true", help="leave out files of rooms")

    def handle(self, *args: Any, **options: Any) -> None:
        folder = options["folder"]
        wanted = taking.BackupRequest(
            redis=not options["without_redis"], files=not options["without_files"]
        )
        try:
            made = taking.take(folder, wanted, self.stdout.write)
            its = manifest.read(made)
            older = taking.remove_older(folder, options["keep"]) if options["keep"] else []
        except BackupError as error:
            raise CommandError(str(error)) from error
        for reason in its.left_out:
            self.stdout.write(f"Not included: {reason}.")
        if its.only_in_redis:
            self.stdout.write(
                "SQL did not take the latest entries of these objects; the copy of Redis has them: "
                f"{manifest.told(its.only_in_redis)}"
            )
        for path in older:
            self.stdout.write(f"Deleted: {path}")
        size = sum(file["bytes"] for file in its.files.values())
        self.stdout.write(f"Backup complete: {made} ({size / 2**20:.1f} MB)")
