"""The OpenAPI document: what stands in it under a name is what the routes mean by it."""

from typing import Any

import pytest
from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema

from poolsite.api.root import api


def test_no_two_schemas_share_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    known: dict[str, dict[str, Any]] = {}
    told_twice: set[str] = set()

    def noted(self: OpenAPISchema, definitions: dict[str, Any]) -> None:
        for name, schema in definitions.items():
            if known.setdefault(name, schema) != schema:
                told_twice.add(name)
        self.schemas.update(definitions)

    monkeypatch.setattr(OpenAPISchema, "add_schema_definitions", noted)
    document = NinjaAPI.get_openapi_schema(api)  # made here: the API's own is made once per process
    assert {"Problem", "GateOut", "EventProblem"} <= document["components"]["schemas"].keys()
    assert told_twice == set()
