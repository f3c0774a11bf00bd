"""`manage.py terminals`: the table of terminals from which the provider `table` answers."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from billing.services.abilities import look_up, table_import
from poolsite import number_format
from poolsite.table_reader.limits import UnreadableFileError


class Command(BaseCommand):
    """Imports the table of terminals, or looks up numbers like a hold does."""

    help = "Import the table of terminals (number, yes or no), or look up numbers."
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        importing = verbs.add_parser("import", help="import a CSV or XLSX file")
        importing.add_argument("file", type=Path)
        asking = verbs.add_parser("show", help="show what a hold would find for numbers")
        asking.add_argument("number", nargs="+")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["verb"] == "import":
            self._import(options["file"])
        else:
            self._show(options["number"])

    def _import(self, path: Path) -> None:
        if not path.is_file():
            raise CommandError(f"File {path} not found.")
        try:
            done = table_import(actor="manage.py terminals", path=path, file_name=path.name)
        except UnreadableFileError as error:
            raise CommandError(str(error)) from error
        for row in done.faults:
            self.stderr.write(f"row {row.row}: {row.fault}")
        self.stdout.write(f"{done.taken} imported, {done.refused} refused")

    def _show(self, texts: list[str]) -> None:
        try:
            numbers = [number_format.parse(text) for text in texts]
        except number_format.NotANumberError as error:
            raise CommandError(str(error)) from error
        for number, ability in look_up(numbers).items():
            told = f"{ability.source}, {ability.age_seconds} s old"
            self.stdout.write(f"{number}: {ability.fallback} ({told})")
