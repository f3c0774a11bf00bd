"""How well a name fits a typed text: equal, at its beginning, at a word, any part, letters.

For kinds with few names: pages, actions, pools, tariffs. Tables with millions of rows are searched
by exact keys and prefixes, which an index supports.
"""

import re
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import and_, or_
from typing import TypeVar

from django.db.models import Model, Q, QuerySet

M = TypeVar("M", bound=Model)
SAME, BEGINS, WORD, PART, LETTERS = range(5)
LETTERS_LEAST = 3  # the least number of letters for a letter-by-letter search
COMPARED = 1_000  # how many names are compared letter by letter
WORDS = 6


def rank(text: str, names: Iterable[str]) -> int | None:
    """Return how well the best of the names fits, SAME first, or None. Case is ignored.

    Several words may be in different names. Then the worst of them counts.
    """
    known = [name.lower() for name in names if name]
    wanted = text.lower().strip()
    whole = _rank(wanted, known)
    words = wanted.split()[:WORDS]
    if whole is not None or len(words) < 2:
        return whole
    each = [found for found in (_rank(word, known) for word in words) if found is not None]
    return max(WORD, *each) if len(each) == len(words) else None


def _rank(wanted: str, names: Sequence[str]) -> int | None:
    return min((found for name in names if (found := _fit(wanted, name)) is not None), default=None)


def _fit(wanted: str, name: str) -> int | None:
    if name == wanted:
        return SAME
    if name.startswith(wanted):
        return BEGINS
    at = name.find(wanted)
    if at >= 0:
        if any(not name[start - 1].isalnum() for start in _places(name, wanted, at) if start):
            return WORD
        return None if _is_letter(wanted) else PART
    return LETTERS if len(wanted) >= LETTERS_LEAST and _in_order(wanted, name) else None


def _is_letter(wanted: str) -> bool:
    """Return whether the text is one letter, which fits only beginnings of words. One Chinese
    character may be a word.
    """
    return len(wanted) == 1 and wanted.isascii()


def _places(name: str, wanted: str, at: int) -> Iterable[int]:
    while at >= 0:
        yield at
        at = name.find(wanted, at + 1)


def _in_order(wanted: str, name: str) -> bool:
    """Return whether the letters follow in this order from a word's start, close together."""
    starts = (match.start() for match in re.finditer(r"\w+", name))
    return any(_close(wanted, name, start) for start in starts if name[start] == wanted[0])


def _close(wanted: str, name: str, start: int) -> bool:
    at = start
    for letter in wanted[1:]:
        at = name.find(letter, at + 1)
        if at < 0:
            return False
    return at - start < 2 * len(wanted) + 2


def named(rows: QuerySet[M], text: str, fields: Sequence[str], limit: int) -> list[tuple[int, M]]:
    """Return the rows of a small kind whose fields fit the text, with ranks, the best first.

    Rows that contain all the words come from SQL. If there are few, rows with the same letters in
    order are added, out of the first 1,000.
    """
    words = text.split()[:WORDS]
    holds = (reduce(or_, (_holds(field, word) for field in fields)) for word in words)
    found = list(rows.filter(reduce(and_, holds))[: 4 * limit])
    if len(found) < limit and len(text) >= LETTERS_LEAST:
        found += _by_letters(rows.exclude(pk__in=[row.pk for row in found]), text, fields, limit)
    ranked = [(rank(text, [_value(row, field) for field in fields]), row) for row in found]
    fitting = [(place, row) for place, row in ranked if place is not None]
    return sorted(fitting, key=lambda pair: pair[0])[:limit]


def _holds(field: str, word: str) -> Q:
    if _is_letter(word):
        return Q(**{f"{field}__istartswith": word}) | Q(**{f"{field}__icontains": f" {word}"})
    return Q(**{f"{field}__icontains": word})


def _value(row: Model, field: str) -> str:
    """Return a field's text, also through a relation that may be empty."""
    value: object = row
    for part in field.split("__"):
        value = getattr(value, part) if value is not None else None
    return str(value or "")


def _by_letters(rows: QuerySet[M], text: str, fields: Sequence[str], limit: int) -> list[M]:
    near = []
    for key, *names in rows.values_list("pk", *fields)[:COMPARED]:
        if rank(text, [str(name or "") for name in names]) is not None:
            near.append(key)
    return list(rows.filter(pk__in=near[:limit])) if near else []
