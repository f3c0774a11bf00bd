"""The OpenAPI document: its names are unambiguous, and its texts are plain English."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema

from poolsite.api.root import api
from tests.house.wording import unwanted


def test_no_two_schemas_share_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    known: dict[str, dict[str, Any]] = {}
    told_twice: set[str] = set()

    def noted(self: OpenAPISchema, definitions: dict[str, Any]) -> None:
        for name, schema in definitions.items():
            if known.setdefault(name, schema) != schema:
                told_twice.add(name)
        self.schemas.update(definitions)

    monkeypatch.setattr(OpenAPISchema, "add_schema_definitions", noted)
    document = NinjaAPI.get_openapi_schema(api)  # new: the API's own exists once per process
    assert {"MessageProblem", "GateOut", "EventProblem"} <= document["components"]["schemas"].keys()
    assert told_twice == set()


def test_its_words_are_plain_english() -> None:
    said = list(_said(api.get_openapi_schema()))
    assert len(said) > 1000
    assert [text for text in said if unwanted(text)] == []


def test_it_is_sent_again_only_if_it_has_changed() -> None:
    first = Client().get("/api/v1/openapi.json")
    assert first["Content-Type"] == "application/json"
    assert first.json() == api.get_openapi_schema()
    again = Client().get("/api/v1/openapi.json", headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    other = Client().get("/api/v1/openapi.json", headers={"if-none-match": '"another"'})
    assert other.content == first.content


def test_of_a_body_that_is_one_or_many_the_choice_is_all_there_is() -> None:
    """A generator ignores keys next to a `$ref`, and would only support the single object."""
    document = api.get_openapi_schema()
    for path in ("pools/{slug}/events", "accounts/{slug}/holds"):
        body = document["paths"][f"/api/v1/{path}"]["post"]["requestBody"]
        schema = body["content"]["application/json"]["schema"]
        assert [*schema] == ["anyOf"]
        assert schema["anyOf"][1]["items"] == schema["anyOf"][0]


def _said(part: object) -> Iterator[str]:
    """Yield each summary and description in a part of the document."""
    if isinstance(part, dict):
        for key, value in part.items():
            if key in ("summary", "description") and isinstance(value, str):
                yield value
            else:
                yield from _said(value)
    elif isinstance(part, list):
        for value in part:
            yield from _said(value)
