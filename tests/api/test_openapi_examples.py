"""The examples of the OpenAPI document: each is complete, matches its schema and looks real."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

import jsonschema_rs
import pytest

from poolsite.api import examples
from poolsite.api.examples import Examples
from poolsite.api.problems import MEDIA_TYPE
from poolsite.api.reference_schema import Schemas
from poolsite.api.root import api

TREE: Final[dict[str, Any]] = {
    "title": "Tree",
    "type": "object",
    "required": ["name", "kind"],
    "properties": {
        "name": {"type": "string", "maxLength": 8},
        "kind": {"anyOf": [{"enum": ["a", "b"], "type": "string"}, {"type": "null"}]},
        "size": {"type": "integer", "default": 3, "minimum": 1},
        "children": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}},
    },
}
MONEY: Final = ("quoted", "charged", "spendable", "held", "receivable", "spent_today")
PLACEHOLDER: Final = re.compile(r"[A-Z][A-Z_]{2,}\Z")


def _example(schema: Mapping[str, Any]) -> Any:
    return Examples(Schemas({"components": {"schemas": {"Tree": TREE}}})).of_body(schema)


@cache
def _document() -> Any:
    return api.get_openapi_schema()


def _shown() -> Iterator[tuple[str, Any, Any]]:
    """Yield each example with its place and its schema: (place, schema, example)."""
    named = _document()["components"]["examples"]
    for path, methods in _document()["paths"].items():
        for method, operation in methods.items():
            place = f"{method} {path}"
            for each in operation.get("parameters", ()):
                if "example" in each:
                    yield f"{place} {each['name']}", each["schema"], each["example"]
            bodies = {"request": operation.get("requestBody", {}), **operation["responses"]}
            for name, body in bodies.items():
                for media_type, content in body.get("content", {}).items():
                    told = [content["example"]] if "example" in content else []
                    told += [named[kind]["value"] for kind in content.get("examples", ())]
                    assert told, f"{place} {name} has no example"
                    for value in told:
                        yield f"{place} {name} {media_type}", content["schema"], value


@cache
def _validator(schema: str) -> jsonschema_rs.Draft202012Validator:
    """Return the schema's validator, cached: the errors of all operations have the same schema."""
    whole = {**json.loads(schema), "components": _document()["components"]}
    return jsonschema_rs.Draft202012Validator(whole, validate_formats=True)


def _faults(schema: Any, value: Any) -> list[str]:
    errors = _validator(json.dumps(schema)).iter_errors(value)
    return [f"{error.instance_path}: {error.message}" for error in errors]


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, name)
    else:
        yield name, value


def test_each_example_fits_its_schema() -> None:
    shown = list(_shown())
    assert len(shown) > 600
    assert [
        (place, wrong) for place, schema, value in shown for wrong in _faults(schema, value)
    ] == []


def test_no_example_is_a_placeholder_and_money_is_text_with_four_places() -> None:
    for place, _schema, example in _shown():
        for name, value in _leaves(example):
            if isinstance(value, str) and value not in ("CNY", "CN"):
                assert not PLACEHOLDER.match(value), f"{place}: {name}"
            if name in MONEY and not isinstance(value, int):
                assert re.fullmatch(r"-?\d+\.\d{4}", value), f"{place}: {name}"


def test_each_parameter_of_a_path_has_an_example() -> None:
    for path, methods in _document()["paths"].items():
        for operation in methods.values():
            for each in operation.get("parameters", ()):
                assert "example" in each or each["in"] != "path", f"{path}: {each['name']}"


def test_what_is_declared_is_a_field_of_its_schema() -> None:
    schemas = _document()["components"]["schemas"]
    for name, values in examples.declared().items():
        if name in schemas:
            assert set(values) <= set(schemas[name]["properties"]), name
        else:
            assert name[0].islower() or name == "MultiPartBodyParams", name


def test_errors_are_shown_by_their_types() -> None:
    operation = _document()["paths"]["/api/v1/pools/{slug}/numbers/{number}"]["get"]
    missing = operation["responses"]["404"]
    assert list(missing["content"][MEDIA_TYPE]["examples"]) == ["unknown-number", "unknown-pool"]
    assert "- `unknown-number`: The number isn't in this pool." in missing["description"]
    limited = operation["responses"]["429"]
    assert limited["headers"]["Retry-After"]["schema"]["type"] == "integer"
    assert "409" not in operation["responses"]


def test_an_example_has_what_is_required_or_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    one = {"$ref": "#/components/schemas/Tree"}
    monkeypatch.setattr(examples, "_declared", {})
    assert _example(one) == {"name": "NAME", "kind": "a"}
    examples.declare({"Tree": {"name": "Oak", "size": 9}})
    assert _example(one) == {"name": "Oak", "kind": "a", "size": 9}


def test_what_refers_to_itself_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examples, "_declared", {})
    tree = {**TREE, "required": ["children"]}
    shown = Examples(Schemas({"components": {"schemas": {"Tree": tree}}}))
    assert shown.of_body({"$ref": "#/components/schemas/Tree"}) == {"children": [None]}
