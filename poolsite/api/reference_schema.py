"""JSON Schema as text: types, limits and nested fields, for the API reference."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

Schema = Mapping[str, Any]

DEEPEST: Final = 5  # levels of nested fields; a recursive schema ends earlier
_LIMITS: Final = {
    "minLength": "minimum length {}",
    "maxLength": "maximum length {}",
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "minItems": "minimum items {}",
    "maxItems": "maximum items {}",
    "multipleOf": "a multiple of {}",
    "pattern": "matches {}",
}
_PATTERNS: Final = {
    r"^[^\x00-\x1f\x7f]*$": "no control characters",
    r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$": "no control characters except tabs and line ends",
}


@dataclass(frozen=True)
class Field:
    """One field or parameter. path: with its parents, `calls[].number`; depth: 0 at the top."""

    path: str
    type: str
    required: bool
    default: str = ""
    description: str = ""
    limits: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    depth: int = 0


class Schemas:
    """The document's schemas by name, to which other schemas refer."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._named: Mapping[str, Schema] = document.get("components", {}).get("schemas", {})

    def resolved(self, schema: Schema) -> Schema:
        """Return the schema of a reference. Keys next to the reference take precedence."""
        if "$ref" not in schema:
            return schema
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        return {**self._named.get(_name(schema), {}), **beside}

    def alternatives(self, schema: Schema) -> list[Schema]:
        """Return a value's possible schemas, without null: one, or those of anyOf or oneOf."""
        choices = self.choices(schema)
        if not choices:
            return [self.resolved(schema)]
        nested = [each for choice in choices for each in self.alternatives(choice)]
        return [each for each in nested if each.get("type") != "null"]

    def choices(self, schema: Schema) -> Sequence[Schema]:
        """Return the schemas in anyOf or oneOf."""
        found = self.resolved(schema)
        return found.get("anyOf") or found.get("oneOf") or ()

    def type_of(self, schema: Schema) -> str:
        """Return the type as text: `string`, `array of objects`, `string or null`."""
        if choices := self.choices(schema):
            return " or ".join(dict.fromkeys(self.type_of(choice) for choice in choices))
        found = self.resolved(schema)
        if found.get("type") == "array":
            words = self.type_of(found.get("items", {}))
            return f"array of {words}s" if words.isalpha() else f"array of {words}"
        kind = found.get("type") or ("object" if "properties" in found else "any")
        return f"{kind} ({found['format']})" if "format" in found else str(kind)

    def field(self, path: str, schema: Schema, *, required: bool, depth: int = 0) -> Field:
        """Return one field, without those nested in it."""
        found = self.resolved(schema)
        single = [*self._leaves(schema)]
        choices = [str(value) for each in single for value in _values(each)]
        limits = [words for each in single for words in _limits(each)]
        return Field(
            path,
            self.type_of(schema),
            required,
            _told(found["default"]) if found.get("default") is not None else "",
            str(found.get("description", "")),
            tuple(dict.fromkeys(limits)),
            tuple(dict.fromkeys(choices)),
            depth,
        )

    def fields(
        self, schema: Schema, path: str = "", depth: int = 0, seen: tuple[str, ...] = ()
    ) -> Iterator[Field]:
        """Yield the fields of an object, an array of objects, or alternatives; nested fields
        follow.
        """
        for properties, needed, mark, names in self._objects(schema, seen):
            for name, inner in properties.items():
                here = f"{path}{mark}.{name}" if path else f"{name}"
                yield self.field(here, inner, required=name in needed, depth=depth)
                if depth + 1 < DEEPEST:
                    yield from self.fields(inner, here, depth + 1, names)

    def _objects(
        self, schema: Schema, seen: tuple[str, ...], mark: str = ""
    ) -> Iterator[tuple[Schema, list[str], str, tuple[str, ...]]]:
        """Yield each object's fields once, even if a schema allows the object or an array of it."""
        name = _name(schema)
        if name and name in seen:
            return
        names = (*seen, name) if name else seen
        found = self.resolved(schema)
        told: list[Schema] = []
        for choice in self.choices(schema):
            for each in self._objects(choice, names, mark):
                if each[0] not in told:
                    told.append(each[0])
                    yield each
        if found.get("type") == "array":
            yield from self._objects(found.get("items", {}), names, f"{mark}[]")
        elif isinstance(values := found.get("additionalProperties"), Mapping):
            yield from self._objects(values, names, f"{mark}.*")
        if found.get("properties"):
            yield found["properties"], list(found.get("required", ())), mark, names

    def _leaves(self, schema: Schema) -> Iterator[Schema]:
        """Yield the schemas with limits and choices: the alternatives and the items of arrays."""
        for each in self.alternatives(schema):
            yield each
            if each.get("type") == "array":
                yield from self._leaves(each.get("items", {}))


def _name(schema: Schema) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2]


def _values(schema: Schema) -> list[Any]:
    return [schema["const"]] if "const" in schema else list(schema.get("enum", ()))


def _limits(schema: Schema) -> Iterator[str]:
    for key, words in _LIMITS.items():
        if key in schema:
            yield _PATTERNS.get(schema[key]) or words.format(schema[key])


def _told(value: Any) -> str:
    """Return a default in JSON's notation."""
    if isinstance(value, bool):
        return str(value).lower()
    return '""' if value == "" else str(value)
