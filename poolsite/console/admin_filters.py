"""The filters next to the admin's lists, with choices written like the values in the lists."""

from collections.abc import Iterator
from typing import Any

from django.contrib.admin.filters import AllValuesFieldListFilter, ChoicesFieldListFilter
from django.utils.text import capfirst

from poolsite import dates


class ChoicesInWords(ChoicesFieldListFilter):
    """A filter by a field's choices, which begin with a capital as in the list."""

    def choices(self, changelist: Any) -> Iterator[Any]:
        """Yield Django's choices with capitals."""
        for each in super().choices(changelist):
            yield {**each, "display": capfirst(str(each["display"]))}


class ValuesInWords(AllValuesFieldListFilter):
    """A filter by a value that the admin's `words` write. It offers all known values, or SQL's."""

    def __init__(
        self, field: Any, request: Any, params: Any, model: Any, model_admin: Any, field_path: str
    ) -> None:
        super().__init__(field, request, params, model, model_admin, field_path)
        self._write = model_admin.words[field.name]
        texts = getattr(self._write, "texts", None)
        if texts:
            self.lookup_choices: Any = list(texts)

    def choices(self, changelist: Any) -> Iterator[Any]:
        """Yield "all" first, then the values in the order of their texts."""
        everything, *values = super().choices(changelist)
        yield everything
        for each in values:
            each["display"] = self._write(each["display"]) or dates.NOTHING
        yield from sorted(values, key=lambda each: str(each["display"]))
