"""What the forms of a goal's steps share: short names made from names, and one-click steps."""

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from django import forms
from django.db.models import Model

from poolsite.console.short_names import FIELD, short_name


class PressForm(forms.Form):
    """A step of one click. `token` makes it run once, however often the button is pressed."""

    token = forms.UUIDField(widget=forms.HiddenInput, initial=uuid4)


def with_short_name(
    data: Mapping[str, Any] | None, model: type[Model], word: str
) -> dict[str, Any] | None:
    """Return the data, with a short name if none was typed or can be made (北方 → pool)."""
    if data is None:
        return None
    given = {name: data[name] for name in data}
    name = str(given.get("name", "")).strip()
    if name and not str(given.get(FIELD, "")).strip() and not short_name(name):
        given[FIELD] = _free(model, word)
    return given


def _free(model: type[Model], word: str) -> str:
    """Return the word, with a number if an object has or had the slug."""
    known: Any = model._base_manager
    taken = set(known.filter(slug__startswith=word).values_list("slug", flat=True))
    number = 1
    while (slug := word if number == 1 else f"{word}-{number}") in taken:
        number += 1
    return slug
