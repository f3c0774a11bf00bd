"""Loads every Lua script on every master and prints its SHA, for the configuration of switches."""

from argparse import ArgumentParser
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from django.apps import apps
from django.core.management.base import BaseCommand, CommandError

from poolsite import hotpath


def unregistered_files() -> list[Path]:
    """Return the Lua files of installed apps that no module registered at start-up."""
    known = {script.path for script in hotpath.registered().values()} | {hotpath.PRELUDE}
    files = [path for app in apps.get_app_configs() for path in Path(app.path).glob("lua/*.lua")]
    return sorted(set(files) - known)


class Command(BaseCommand):
    help = (
        "Load all scripts on every master and print `app/name  <number of KEYS>  <sha1>` for each."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        instead = parser.add_mutually_exclusive_group()
        instead.add_argument(
            "--check",
            action="store_true",
            help="load nothing; exit 1 if a script is missing on a master",
        )
        instead.add_argument(
            "--prune",
            action="store_true",
            help="load nothing; delete the function libraries of other releases and list them",
        )
        instead.add_argument(
            "--text",
            metavar="APP/NAME",
            help="load nothing; print this script exactly as it is sent to Redis",
        )

    def handle(
        self, *args: Any, check: bool, prune: bool, text: str | None, **options: Any
    ) -> None:
        if text is not None:
            self.stdout.write(_script(text).text, ending="")
        elif prune:
            self._prune()
        else:
            self._list(check)

    def _prune(self) -> None:
        try:
            gone = hotpath.default().prune_libraries()
        except hotpath.HotPathError as error:
            raise CommandError(f"Can't reach Redis: {error}") from error
        for node, library in gone:
            self.stdout.write(f"{library} on {node or 'the server'}")

    def _list(self, check: bool) -> None:
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
            raise CommandError(f"Can't reach Redis: {error}") from error
        for title, script in scripts.items():
            self.stdout.write(f"{title}  {len(script.keys)}  {script.sha1}")
        if missing:
            lines = "".join(f"\n  {title} on {node or 'the server'}" for node, title in missing)
            raise CommandError(f"Missing scripts (load them with `manage.py scripts`):{lines}")


def _script(title: str) -> hotpath.Script:
    """Return the script with that title. Raise CommandError that suggests similar titles."""
    scripts = hotpath.registered()
    if title in scripts:
        return scripts[title]
    near = get_close_matches(title, scripts, n=3)
    if "/" not in title:
        bare = {script.name for script in scripts.values()}
        (alike, *_) = (*get_close_matches(title, bare, n=1), "")
        near = [name for name, script in scripts.items() if script.name == alike]
    hint = f"Did you mean {' or '.join(near)}?" if near else "List all scripts: `manage.py scripts`"
    raise CommandError(f"Script {title!r} not found. {hint}")
