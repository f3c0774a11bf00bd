"""The verbs `create` and `set` of an app's command, and the output of changed settings."""

from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.db.models import Model

from poolsite.console.setting_options import add_settings, changes_given, told_changes, values_of

Options = dict[str, Any]
Say = Callable[[str], object]


def add_create(
    verbs: Any,
    told: str,
    model: type[Model],
    settings: Sequence[str],
    run: Callable[[Options], object],
) -> ArgumentParser:
    """Add `create <slug>` with the account and an option for each setting."""
    create: ArgumentParser = verbs.add_parser("create", help=told)
    create.add_argument("slug")
    create.add_argument("--account", default="", help="slug of the account; default: the platform")
    add_settings(create, model, settings)
    create.set_defaults(run=run)
    return create


def add_set(
    verbs: Any,
    model: type[Model],
    settings: Sequence[str],
    find: Callable[[str], Any],
    configure: Callable[[Any, str, Mapping[str, Any]], object],
    say: Say,
) -> None:
    """Add `set <slug>`. find: returns the row of a slug. configure: gets row, reason and values."""

    def run(options: Options) -> None:
        changes, row = changes_given(options, settings), find(options["slug"])
        before = values_of(row, list(changes))
        configure(row, options["reason"], changes)
        for line in told_changes(before, changes) or ["no changes"]:
            say(f"{row.slug}: {line}")

    change = verbs.add_parser("set", help="change settings")
    change.add_argument("slug")
    change.add_argument("--reason", default="")
    add_settings(change, model, settings)
    change.set_defaults(run=run)
