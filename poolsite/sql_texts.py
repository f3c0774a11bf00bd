"""Rows in the forms that PostgreSQL reads in bulk: COPY's text form, and arrays as text."""

from collections.abc import Callable, Sequence
from functools import cache
from types import NoneType
from typing import Any, Final

Row = Sequence[Any]


def array_text(values: Sequence[Any]) -> str:
    """Return PostgreSQL's text form of an array. It is far cheaper than adapting each element."""
    kinds = set(map(type, values))
    if kinds == {int}:
        return "{" + ",".join(map(str, values)) + "}"
    if kinds <= {int, NoneType}:
        return "{" + ",".join(["NULL" if value is None else str(value) for value in values]) + "}"
    if kinds == {str}:
        inner = '","'.join(values)
        # No quotes except those just added, and nothing to escape: one check for all values.
        if "\\" not in inner and inner.count('"') == 2 * (len(values) - 1):
            return f'{{"{inner}"}}'
    return "{" + ",".join([_array_item(value) for value in values]) + "}"


def _array_item(value: Any) -> str:
    if value is None:
        return "NULL"
    text = str(value)
    if "\\" in text or '"' in text:
        text = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'


_SPECIAL = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_ESCAPES = str.maketrans(_SPECIAL)


@cache
def _forms(count: int) -> str:
    return "\t".join(["%s"] * count)


def copy_line(row: Row) -> str:
    """Return a row as a line of COPY's text form."""
    if None not in row:
        line = _forms(len(row)) % tuple(row)
        # No text contains one of COPY's four special characters: one check for the whole row.
        plain = "\\" not in line and "\n" not in line and "\r" not in line
        if plain and line.count("\t") == len(row) - 1:
            return line + "\n"
    return "\t".join([_COPY.get(value.__class__, _copy_other)(value) for value in row]) + "\n"


def _copy_text(text: str) -> str:
    # A printable text contains none of COPY's special characters except the backslash.
    return text if text.isprintable() and "\\" not in text else text.translate(_ESCAPES)


def _copy_other(value: Any) -> str:
    if isinstance(value, str):  # a member of an enumeration
        return _copy_text(str(value))
    return "\\N" if value is None else str(value)


_COPY: Final[dict[type, Callable[[Any], str]]] = {int: str, str: _copy_text}
