"""The settings of a row as pydantic models, made from its fields: one list for all interfaces.

A new setting is in the requests, the responses and the document without more code.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, Literal

from django.core.validators import MaxLengthValidator, MaxValueValidator, MinValueValidator
from django.db.models import BooleanField, CharField, Field, FloatField, IntegerField, Model
from django.db.models import TextField as LongText
from django.utils import translation
from pydantic import BaseModel, create_model
from pydantic import Field as Told

from poolsite.api.reading import LINE, LINES, STRICT

TEXT_LIMIT: Final = 2_000
Words = Mapping[str, str]
NO_WORDS: Final[Words] = MappingProxyType({})
INTEGER_LIMIT: Final = 2**31 - 1  # of the databases' columns


def settings_in(
    name: str, model: type[Model], names: Sequence[str], words: Words = NO_WORDS
) -> type[BaseModel]:
    """Return the model of a request's settings. Each may be omitted; see `given_of`.

    words: descriptions that replace those of the fields.
    """
    return _made(name, model, names, words, given=True)


def settings_out(
    name: str, model: type[Model], names: Sequence[str], words: Words = NO_WORDS
) -> type[BaseModel]:
    """Return the model of a response's settings: all of them."""
    return _made(name, model, names, words, given=False)


def given_of(body: BaseModel, names: Sequence[str]) -> dict[str, Any]:
    """Return the settings that a request contains."""
    return {name: getattr(body, name) for name in names if name in body.model_fields_set}


def _made(
    name: str, model: type[Model], names: Sequence[str], words: Words, *, given: bool
) -> type[BaseModel]:
    fields: dict[str, Any] = {}
    with translation.override(None):  # the document is in English
        for each in names:
            field = model._meta.get_field(each)
            more = _given(field) if given else {}
            fields[each] = (_kind(field), Told(description=words.get(each) or _told(field), **more))
    made: type[BaseModel] = create_model(
        name, __config__=STRICT if given else None, __module__=__name__, **fields
    )
    return made


def _given(field: Any) -> dict[str, Any]:
    # A factory's default is not in the document: an omitted setting has no value at all.
    return {"default_factory": lambda: None, **({} if field.choices else _limits(field))}


def _kind(field: Any) -> Any:
    if field.choices:
        values = [value for value, _word in field.flatchoices if value]
        return Literal[tuple([*values, ""] if field.blank else values)]
    for kind, type_ in ((BooleanField, bool), (IntegerField, int), (FloatField, float)):
        if isinstance(field, kind):
            return type_
    if isinstance(field, CharField | LongText):
        return str
    raise TypeError(f"{field.name}: a {type(field).__name__} is no setting of the interface")


def _limits(field: "Field[Any, Any]") -> dict[str, Any]:
    if isinstance(field, BooleanField):
        return {}
    if isinstance(field, CharField | LongText):
        limits = [TEXT_LIMIT, *_values(field, MaxLengthValidator)]
        pattern = LINES if isinstance(field, LongText) else LINE
        return {"max_length": min(limits), "pattern": pattern}
    lows, highs = _values(field, MinValueValidator), _values(field, MaxValueValidator)
    if isinstance(field, IntegerField):
        highs.append(INTEGER_LIMIT)
    return {
        **({"ge": max(lows)} if lows else {}),
        **({"le": min(highs)} if highs else {}),
    }


def _values(field: Any, kind: type[Any]) -> list[Any]:
    return [each.limit_value for each in field.validators if isinstance(each, kind)]


def _told(field: Any) -> str:
    name = str(field.verbose_name)
    texts = (name[:1].upper() + name[1:], str(field.help_text))
    return " ".join(f"{text.rstrip('.')}." for text in texts if text)
