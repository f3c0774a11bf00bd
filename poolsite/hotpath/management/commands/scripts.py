"""Load every Lua script on every master and name its SHA, for switches' configurations."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.apps import apps
from django.core.management.base import BaseCommand, CommandError

from poolsite import hotpath


def unregistered_files() -> list[Path]:
    """Return the Lua files of installed apps that nobody has registered at start-up."""
    known = {script.path for script in hotpath.registered().values()} | {hotpath.PRELUDE}
    files = [path for app in apps.get_app_configs() for path in Path(app.path).glob("lua/*.lua")]
    return sorted(set(files) - known)


class Command(BaseCommand):
    help = "Loads all scripts on every master; prints `app/name  <number of KEYS>  <sha1>` each."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--check",
            action="store_true",
            help="load nothing; exit 1 when a script is missing on a master",
        )

    def handle(self, *args: Any, check: bool, **options: Any) -> None:
        scripts = hotpath.registered()
        forgotten = unregistered_files()
        if forgotten:
            raise CommandError(
                f"No module loads {forgotten[0]}: import the one that calls load_folder in the "
                "app's AppConfig.ready()."
            )
        try:
            missing = hotpath.default().missing_scripts() if check else []
            if not check:
                hotpath.default().load_scripts()
        except hotpath.HotPathError as error:
            raise CommandError(f"Redis could not be asked: {error}") from error
        for title, script in scripts.items():
            self.stdout.write(f"{title}  {len(script.keys)}  {script.sha1}")
        if missing:
            lines = "".join(f"\n  {title} on {node or 'the server'}" for node, title in missing)
            raise CommandError(f"Missing (load with `manage.py scripts`):{lines}")
