"""JSON Schema in words: types, limits, nested fields and examples, for the API reference."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from poolsite.api.reference_values import number_of, text_of

Schema = Mapping[str, Any]

DEEPEST: Final = 5  # levels of nested fields; what refers to itself ends earlier
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
_PLAIN: Final[dict[str, Any]] = {"number": 1.5, "boolean": True, "null": None}


@dataclass(frozen=True)
class Field:
    """One field or parameter. path: with its parents, `calls[].number`; depth: 0 = at the top."""

    path: str
    type: str
    required: bool
    default: str = ""
    description: str = ""
    limits: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    depth: int = 0


class Schemas:
    """The document's schemas by name, which the others refer to."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._named: Mapping[str, Schema] = document.get("components", {}).get("schemas", {})

    def resolved(self, schema: Schema) -> Schema:
        """The schema that a reference means; what stands beside the reference counts more."""
        if "$ref" not in schema:
            return schema
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        return {**self._named.get(_name(schema), {}), **beside}

    def alternatives(self, schema: Schema) -> list[Schema]:
        """What the value may be, without null: one schema, or those of anyOf and oneOf."""
        found = self.resolved(schema)
        choices = found.get("anyOf") or found.get("oneOf")
        if not choices:
            return [found]
        nested = [each for choice in choices for each in self.alternatives(choice)]
        return [each for each in nested if each.get("type") != "null"]

    def type_of(self, schema: Schema) -> str:
        """`string`, `array of objects`, `string or null`."""
        found = self.resolved(schema)
        choices = found.get("anyOf") or found.get("oneOf")
        if choices:
            return " or ".join(dict.fromkeys(self.type_of(choice) for choice in choices))
        if found.get("type") == "array":
            return f"array of {self.type_of(found.get('items', {}))}"
        kind = found.get("type") or ("object" if "properties" in found else "any")
        return f"{kind} ({found['format']})" if "format" in found else str(kind)

    def field(self, path: str, schema: Schema, *, required: bool, depth: int = 0) -> Field:
        """One field, without those nested in it."""
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
        """The fields of an object, an array of objects or any of several, each before its own."""
        for properties, needed, mark, names in self._objects(schema, seen):
            for name, inner in properties.items():
                here = f"{path}{mark}.{name}" if path else f"{name}"
                yield self.field(here, inner, required=name in needed, depth=depth)
                if depth + 1 < DEEPEST:
                    yield from self.fields(inner, here, depth + 1, names)

    def _objects(
        self, schema: Schema, seen: tuple[str, ...], mark: str = ""
    ) -> Iterator[tuple[Schema, list[str], str, tuple[str, ...]]]:
        """Each object's fields in a schema once: not in the array, too, where one or many fit."""
        name = _name(schema)
        if name and name in seen:
            return
        names = (*seen, name) if name else seen
        found = self.resolved(schema)
        told: list[Schema] = []
        for choice in found.get("anyOf") or found.get("oneOf") or ():
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
        """What limits and choices are read from: the alternatives and the items of arrays."""
        for each in self.alternatives(schema):
            yield each
            if each.get("type") == "array":
                yield from self._leaves(each.get("items", {}))

    def example(
        self, schema: Schema, *, whole: bool = True, field: str = "", seen: tuple[str, ...] = ()
    ) -> Any:
        """A value that fits the field. whole: with the optional fields of objects, too."""
        name = _name(schema)
        alternatives = self.alternatives(schema)
        if not alternatives or name in seen or len(seen) > DEEPEST:
            return None
        found = alternatives[0]
        names = (*seen, name) if name else seen
        if (given := _given({**found, **self.resolved(schema)})) is not None:
            return given
        if found.get("type") == "array":
            items = found.get("items", {})
            return [self.example(items, whole=whole, field=field.removesuffix("s"), seen=names)]
        if "properties" in found:
            return self._object(found, whole, names)
        if found.get("type") == "object":
            return {}
        kind = str(found.get("type", "string"))
        if kind == "integer":
            return number_of(found, field)
        return _PLAIN[kind] if kind in _PLAIN else text_of(found, field)

    def _object(self, found: Schema, whole: bool, names: tuple[str, ...]) -> dict[str, Any]:
        needed = found.get("required", ())
        return {
            key: self.example(inner, whole=whole, field=key, seen=names)
            for key, inner in found["properties"].items()
            if whole or key in needed
        }


def _name(schema: Schema) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2]


def _values(schema: Schema) -> list[Any]:
    return [schema["const"]] if "const" in schema else list(schema.get("enum", ()))


def _limits(schema: Schema) -> Iterator[str]:
    for key, words in _LIMITS.items():
        if key in schema:
            yield words.format(schema[key])


def _told(value: Any) -> str:
    """A default as JSON writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    return '""' if value == "" else str(value)


def _given(schema: Schema) -> Any:
    """What the schema itself gives as an example; None if nothing."""
    examples = list(schema.get("examples", ()))
    for given in ("example", "const", "default"):
        if schema.get(given) not in (None, ""):
            return schema[given]
    return next(iter([*examples, *_values(schema)]), None)
