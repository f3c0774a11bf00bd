"""The filters beside the admin's lists, whose choices are written as the lists write values."""

from collections.abc import Iterator
from typing import Any

from django.contrib.admin.filters import AllValuesFieldListFilter, ChoicesFieldListFilter
from django.utils.text import capfirst

from poolsite import dates


class ChoicesInWords(ChoicesFieldListFilter):
    """By one of a field's choices, which begin with a capital as in the list."""

    def choices(self, changelist: Any) -> Iterator[Any]:
        """As Django's."""
        for each in super().choices(changelist):
            yield {**each, "display": capfirst(str(each["display"]))}


class ValuesInWords(AllValuesFieldListFilter):
    """By a value that the admin's `words` write. All known ones are offered, else those of SQL."""

    def __init__(
        self, field: Any, request: Any, params: Any, model: Any, model_admin: Any, field_path: str
    ) -> None:
        super().__init__(field, request, params, model, model_admin, field_path)
        self._write = model_admin.words[field.name]
        texts = getattr(self._write, "texts", None)
        if texts:
            self.lookup_choices: Any = list(texts)

    def choices(self, changelist: Any) -> Iterator[Any]:
        """All, then the values in the order of their words."""
        everything, *values = super().choices(changelist)
        yield everything
        for each in values:
            each["display"] = self._write(each["display"]) or dates.NOTHING
        yield from sorted(values, key=lambda each: str(each["display"]))
