"""The source of the settings: the variable `NAME`, or the file that `NAME_FILE` names.

Containers get their secrets as files. The settings import this module, so it must not read a
setting.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured


def is_set(name: str) -> bool:
    """Whether this process has the variable, either directly or as a file."""
    return bool(os.environ.get(name) or os.environ.get(f"{name}_FILE"))


class Variables(Mapping[str, str]):
    """The environment, including values from files, without their surrounding white space.

    Raise ImproperlyConfigured for a file that cannot be read, and for a variable that is set both
    ways.
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
    """Reads settings from `Variables`.

    Raises ImproperlyConfigured with the name of an invalid one.
    """

    ENVIRON = Variables()

    def get_value(self, var: str, *args: Any, **kwargs: Any) -> Any:
        """Return the variable's value, or its default."""
        try:
            return super().get_value(var, *args, **kwargs)
        except ValueError as error:
            raise ImproperlyConfigured(f"{var} can't be read ({error}): correct it") from error
