"""What the settings are read from: the variable `NAME`, or the file that `NAME_FILE` names.

Containers get their secrets as files. settings.py imports this, so nothing here reads a setting.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured


def is_set(name: str) -> bool:
    """Tell whether this process was given the variable, itself or as a file."""
    return bool(os.environ.get(name) or os.environ.get(f"{name}_FILE"))


class Variables(Mapping[str, str]):
    """The environment with files looked up; a file's text has no white space around it.

    Raises ImproperlyConfigured for a file that cannot be read, and for a variable given twice.
    """

    def __getitem__(self, name: str) -> str:
        path = os.environ.get(f"{name}_FILE")
        if not path:
            return os.environ[name]
        if os.environ.get(name):
            raise ImproperlyConfigured(f"{name} and {name}_FILE are both set: unset one of them")
        try:
            return Path(path).read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not text in UTF-8"
            raise ImproperlyConfigured(
                f"{name}_FILE names {path}, which can't be read ({reason}): let it name a file "
                f"that this user may read, or set {name} instead"
            ) from error

    def __iter__(self) -> Iterator[str]:
        return iter(os.environ)

    def __len__(self) -> int:
        return len(os.environ)


class SettingsReader(environ.Env):
    """Reads settings from `Variables`. ImproperlyConfigured names the one that can't be read."""

    ENVIRON = Variables()

    def get_value(self, var: str, *args: Any, **kwargs: Any) -> Any:
        """The variable's value, or its default."""
        try:
            return super().get_value(var, *args, **kwargs)
        except ValueError as error:
            raise ImproperlyConfigured(f"{var} can't be read ({error}): correct it") from error
