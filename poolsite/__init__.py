"""The base package, on which every app builds.

The app `numbers` shares its name with a standard-library module that `decimal`, `fractions` and
`statistics` import. The app's folder has no `__init__.py`, so the standard module always gets the
name. This module adds the folder as the standard module's `__path__`, so that `numbers.models` and
the other modules can be imported as its submodules while `from numbers import Integral` still
works. Reasons and alternatives: docs/decisions/0001-the-name-numbers.md. Only the standard library
may be imported here, because this module runs before all others.
"""

from pathlib import Path

import numbers as _standard_numbers

__version__ = "0.1.0"  # as in pyproject.toml, which an installed release does not have

_FOLDER = str(Path(__file__).resolve().parent.parent / "numbers")
_standard_numbers.__path__ = [_FOLDER]
if _standard_numbers.__spec__ is not None:
    _standard_numbers.__spec__.submodule_search_locations = [_FOLDER]
