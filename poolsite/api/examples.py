"""Examples in the OpenAPI document: of parameters, requests and responses.

Apps declare values for the fields of their schemas. A field is shown if its schema requires it or
its app declares it. Without a declared value, one is made from the field's name, format and limits.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from poolsite.api.reference_schema import Schema, Schemas

Values = Mapping[str, Any]  # field → value

AT: Final = "2026-03-01T02:32:07.481920+00:00"
AT_US: Final = 1_772_332_327_481_920
AT_MS: Final = AT_US // 1_000
# The value of a field with this name, whatever its schema.
FIELDS: Final[dict[str, Any]] = {
    "account": "acme",
    "answer": "ok",
    "as_of": AT_US,
    "at": AT,
    "callee": "+8613900000001",
    "call_id": "8f14e45f@sip.example.com",
    "comment": "Quick and friendly",
    "contact": "mei@example.com",
    "desk": "support",
    "email": "mei@example.com",
    "gate": "speed-025",
    "group": "asi",
    "id": "c-1042",
    "incarnation": "boot-7c2e",
    "language": "en",
    "next": "MTgyMA",
    "number": "+8613800000000",
    "place": "eyJkZXNrIjoic3VwcG9ydCJ9:1vwXyZ:k3Jq",
    "queue": "sales",
    "reason": "Planned maintenance",
    "slug": "sales",
    "state": "open",
    "status": "open",
    "visit": "Qm9v4kZr2xWc",
    "zone": "Asia/Shanghai",
}
_FORMATS: Final = {"date-time": AT, "date": "2026-03-01"}
_TYPES: Final[dict[str, Any]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
}
_declared: dict[str, Values] = {}


def declare(examples: Mapping[str, Values]) -> None:
    """Add an app's values, by name of their schema, or for parameters by a path's first segment."""
    _declared.update(examples)


def declared() -> Mapping[str, Values]:
    """Return all values that apps have declared."""
    return _declared


class Examples:
    """Makes the examples of one document."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas

    def of_body(self, schema: Schema) -> Any:
        """Return the example of a body in JSON."""
        return self._value(schema, "", {}, ())

    def of_parameter(self, parameter: Mapping[str, Any], first: str) -> Any:
        """Return the example of a parameter of a path with this first segment, or None."""
        told = _declared.get(first, {})
        if parameter["name"] not in told and not parameter.get("required"):
            return None
        return self._value(parameter["schema"], parameter["name"], told, ())

    def _value(self, schema: Schema, field: str, told: Values, seen: tuple[str, ...]) -> Any:
        """Return the declared value of a field, or one made from its schema."""
        if field in told:
            return told[field]
        found = next(iter(self._schemas.alternatives(schema)), {})
        if found.get("type") == "array":
            return [self._value(found.get("items", {}), field.removesuffix("s"), {}, seen)]
        if "properties" in found:
            return self._object(found, seen)
        return {} if found.get("type") == "object" else _plain(found, field)

    def _object(self, found: Schema, seen: tuple[str, ...]) -> dict[str, Any] | None:
        name = str(found.get("title", ""))
        if name in seen:
            return None
        told = _declared.get(name, {})
        shown = {*found.get("required", ()), *told}
        return {
            key: self._value(inner, key, told, (*seen, name))
            for key, inner in found["properties"].items()
            if key in shown
        }


def _plain(schema: Schema, field: str) -> Any:
    """Return a string, a number or a boolean."""
    kind = str(schema.get("type", "string"))
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    known = FIELDS.get(field)
    if isinstance(known, _TYPES.get(kind, ())) and _fits(schema, known):
        return known
    if kind == "boolean":
        return bool(schema.get("default", False))
    if kind in ("integer", "number"):
        return _number(schema, field)
    return _text(schema, field)


def _number(schema: Schema, field: str) -> int:
    least = int(schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1))
    told = {"_us": AT_US, "_ms": AT_MS}.get(field[-3:], 1)
    return max(least, min(told, int(schema.get("maximum", told))))


def _text(schema: Schema, field: str) -> str:
    """Return a text by format or by the end of the field's name, otherwise the name in capitals."""
    told = _FORMATS.get(str(schema.get("format", "")), AT if field.endswith("_at") else "")
    return told or _first_fitting(schema, (field.upper(), "example-1", "1"))


def _first_fitting(schema: Schema, texts: Iterable[str]) -> str:
    return next((each for each in texts if _fits(schema, each)), "")


def _fits(schema: Schema, value: Any) -> bool:
    if not isinstance(value, str):
        return True
    longest = schema.get("maxLength", len(value))
    return len(value) <= longest and bool(re.search(schema.get("pattern", ""), value))
