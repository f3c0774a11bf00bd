"""An aggregate's settings as options of its command: `permit_seconds` is --permit-seconds.

The options come from the model's fields, so a new setting becomes an option without more code.
"""

import math
from argparse import SUPPRESS, ArgumentParser, ArgumentTypeError, BooleanOptionalAction
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from django.core.management.base import CommandError
from django.db.models import (
    BooleanField,
    CharField,
    DecimalField,
    Field,
    FloatField,
    IntegerField,
    Model,
    TextField,
)

CHOICES_LISTED: Final = 8  # more (countries, say) would make the usage line a page


def add_settings(parser: ArgumentParser, model: type[Model], names: Sequence[str]) -> None:
    """Add one option for each setting. An omitted option leaves its setting unchanged.

    Raise TypeError for a field that can't be given on a command line, such as a relation.
    """
    for name in names:
        _add(parser, name, model._meta.get_field(name))


def settings_given(options: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return the settings that were given on the command line."""
    return {name: options[name] for name in names if name in options}


def changes_given(options: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return the settings for a verb that changes them. Raise CommandError if none was given."""
    changes = settings_given(options, names)
    if not changes:
        raise CommandError("Give at least one setting, for example --name East. See --help.")
    return changes


def values_of(row: Model, names: Sequence[str]) -> dict[str, Any]:
    """Return the values of settings, by name."""
    return {name: getattr(row, name) for name in names}


def told_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Return one line for each setting that differs now: `cooldown_seconds: 0 → 30`."""
    return [
        f"{name}: {in_words(value)} → {in_words(after[name])}"
        for name, value in before.items()
        if value != after[name]
    ]


def in_words(value: Any) -> str:
    """Return a setting's value as a command prints it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if value not in ("", None) else "(empty)"


def _add(parser: ArgumentParser, name: str, field: Any) -> None:
    option, help_text = "--" + name.replace("_", "-"), _help(field)
    if isinstance(field, BooleanField):
        parser.add_argument(option, action=BooleanOptionalAction, default=SUPPRESS, help=help_text)
        return
    choices = _choices(field)
    listed = choices is None or len(choices) <= CHOICES_LISTED
    parser.add_argument(
        option,
        type=_kind(name, field),
        choices=choices,
        default=SUPPRESS,
        help=help_text,
        metavar=None if choices and listed else name.rpartition("_")[2].upper(),
    )


def _help(field: "Field[Any, Any]") -> str:
    texts = (str(field.verbose_name), str(field.help_text))
    return ". ".join(text.rstrip(".") for text in texts if text).replace("%", "%%")


def _choices(field: "Field[Any, Any]") -> list[Any] | None:
    if not field.choices:
        return None
    values = [value for value, _word in field.flatchoices if value is not None]
    return ["", *values] if field.blank and "" not in values else values


def _kind(name: str, field: "Field[Any, Any]") -> Callable[[str], Any]:
    if isinstance(field, IntegerField):
        return int
    if isinstance(field, FloatField):
        return _finite
    if isinstance(field, DecimalField):
        return Decimal
    if isinstance(field, CharField | TextField):
        return str
    raise TypeError(f"{name}: a {type(field).__name__} cannot be given on a command line")


def _finite(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ArgumentTypeError(f"{text!r} is not a number")
    return value
