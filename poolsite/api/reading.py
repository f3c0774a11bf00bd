"""Turns the bytes of a request into values or into errors. Nothing is executed."""

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Generic, TypeVar

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Strict,
    TypeAdapter,
    ValidationError,
)

from poolsite.moments import is_too_late

T = TypeVar("T", bound=BaseModel)
DETAIL_LIMIT = 300
ITEMS_LIMIT = 1_000  # of a batch
DEPTH_LIMIT = 32  # nested arrays and objects; our deepest request has four levels
# For every body: no unknown field, no type other than the documented one, no input in errors.
STRICT = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)
# A text without control characters: NUL cannot be stored, and a line has no line breaks.
LINE: Final = r"^[^\x00-\x1f\x7f]*$"
LINES: Final = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$"  # with tabs and line breaks
TOO_DEEP = f"JSON may be nested {DEPTH_LIMIT} levels deep"


def _as_date(value: Any) -> Any:
    # Pydantic would accept a number as seconds, even as a text.
    if not (isinstance(value, datetime) or (isinstance(value, str) and value[4:5] == "-")):
        raise ValueError("use a time such as 2026-11-28T09:00:00+08:00")
    return value


def _within_years(moment: datetime) -> datetime:
    if moment.year < 1900 or is_too_late(moment):
        raise ValueError("use a time between the years 1900 and 9000")
    return moment.astimezone(UTC)


# A time with its zone, such as 2026-11-28T09:00:00+08:00, converted to UTC. The limit of the years
# leaves room for every zone.
Moment = Annotated[
    AwareDatetime, Strict(False), BeforeValidator(_as_date), AfterValidator(_within_years)
]


class NothingIn(BaseModel):
    """A body without fields."""

    model_config = STRICT


class MalformedError(ValueError):
    """A request, or one item of a batch, is invalid. The text states the error and its place."""


class TooDeepError(ValueError):
    """The JSON is nested deeper than any of our requests."""


class BodyReader(Generic[T]):
    """Reads one object, or an array of objects, of one model."""

    def __init__(self, model: type[T], *, items_limit: int = ITEMS_LIMIT) -> None:
        self._one: TypeAdapter[T] = TypeAdapter(model)
        # The checker cannot know a list of a type that is known only at run time.
        self._many: TypeAdapter[list[T]] = TypeAdapter(list[model])  # type: ignore[valid-type]
        self._limit = items_limit

    def read(self, body: bytes | str) -> T | list[T | MalformedError]:
        """Return an object, or each item of an array with its own result or error.

        Raise MalformedError if the whole body is invalid: broken JSON or UTF-8, an invalid object,
        an array of 0 or too many items. Raise TooDeepError if it is nested too deeply.
        """
        opening = body.lstrip()[:1]
        if opening in (b"[", "["):
            return self._read_many(body)
        return self.read_one(body)

    def read_one(self, body: bytes | str) -> T:
        """Return one object. Raise MalformedError or TooDeepError."""
        try:
            item = self._one.validate_json(body)
        except ValidationError as error:
            if _is_too_deep(error):
                raise TooDeepError(TOO_DEEP) from None
            raise MalformedError(_told(error)) from None
        if not _surely_no_duplicate_key(body, (item,)):
            read_json(body)
        return item

    def _read_many(self, body: bytes | str) -> list[T | MalformedError]:
        try:
            items = self._many.validate_json(body)
        except ValidationError:
            return self._read_each(body)
        self._check_count(len(items))
        if not _surely_no_duplicate_key(body, items):
            return self._read_each(body)
        return list(items)

    def _read_each(self, body: bytes | str) -> list[T | MalformedError]:
        """Read item by item, the slow way: at least one item is bad, or may be."""
        raw = read_json(body, refuse=False)
        if not isinstance(raw, list):
            raise MalformedError("not an array")
        self._check_count(len(raw))
        return [self._read_item(item) for item in raw]

    def _read_item(self, raw: Any) -> T | MalformedError:
        if _has_duplicate(raw):
            return MalformedError("a key stands twice in one object")
        try:
            return self._one.validate_json(json.dumps(raw))
        except ValidationError as error:
            return MalformedError(_told(error))

    def _check_count(self, count: int) -> None:
        if not 1 <= count <= self._limit:
            raise MalformedError(f"a batch holds 1 to {self._limit} items, not {count}")


def _surely_no_duplicate_key(body: bytes | str, items: Sequence[BaseModel]) -> bool:
    """Return whether no key can be repeated. False means that a closer check is needed.

    Each key is followed by a colon of its own, so there are no more keys than colons. If the models
    took as many fields as there are colons, no key replaced another one. Values with colons, and
    nested objects, only cost the closer check.
    """
    colons = body.count(b":") if isinstance(body, bytes) else body.count(":")
    return colons == sum(len(item.model_fields_set) for item in items)


class _Pairs(dict[str, Any]):
    """A JSON object that remembers whether it had a repeated key."""

    twice = False


def _pairs(pairs: list[tuple[str, Any]]) -> _Pairs:
    result = _Pairs(pairs)
    result.twice = len(result) != len(pairs)
    return result


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def read_json(body: bytes | str, *, refuse: bool = True) -> Any:
    """Return the JSON value. Raise MalformedError (not JSON, or a repeated key) or TooDeepError."""
    try:
        text = body.decode() if isinstance(body, bytes) else body
        raw = json.loads(text, object_pairs_hook=_pairs, parse_constant=_refuse_constant)
    except RecursionError:
        raise TooDeepError(TOO_DEEP) from None
    except ValueError as error:
        raise MalformedError(f"not JSON: {str(error)[:100]}") from None
    check_depth(raw)
    if refuse and _has_duplicate(raw):
        raise MalformedError("a key stands twice in one object")
    return raw


def check_depth(raw: Any, limit: int = DEPTH_LIMIT) -> None:
    """Raise TooDeepError if the value is nested deeper than the limit. It uses no recursion."""
    level = [raw]
    for _ in range(limit + 1):
        level = [inner for value in level for inner in _inside(value)]
        if not level:
            return
    raise TooDeepError(f"JSON may be nested {limit} levels deep")


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _has_duplicate(raw: Any) -> bool:
    """Return whether a key is repeated in an object. `raw` is nested up to DEPTH_LIMIT deep."""
    if isinstance(raw, _Pairs) and raw.twice:
        return True
    return any(_has_duplicate(value) for value in _inside(raw))


def _is_too_deep(error: ValidationError) -> bool:
    """Return whether the parser stopped at its own, larger depth limit (200 levels)."""
    first = error.errors(include_url=False, include_input=False, include_context=True)[0]
    return first["type"] == "json_invalid" and "recursion limit" in first["msg"]


def _told(error: ValidationError) -> str:
    """Return the first errors, each with its place, without repeating the input."""
    parts = []
    for problem in error.errors(include_url=False, include_input=False, include_context=False)[:3]:
        place = ".".join(str(step) for step in problem["loc"])
        message = problem["msg"].removeprefix("Value error, ")
        parts.append(f"{place}: {message}" if place else message)
    return "; ".join(parts)[:DETAIL_LIMIT]
