"""Which operations declare an `Idempotency-Key` in the document, and which show a secret."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import RequestFactory
from django.test.client import encode_multipart

from billing.api import hot as billing_hot
from numbers.api import hot as numbers_hot
from poolsite.api import lane
from poolsite.api.document import takes_key
from poolsite.api.idempotency import HEADER, _fingerprint, is_secret
from poolsite.api.problems import KEYED, MEDIA_TYPE
from poolsite.api.reference_access import HOT, ROOT
from poolsite.api.reference_schema import Schemas
from poolsite.api.root import api
from queueing.admission.api import hot as admission_hot
from queueing.line.api import hot as line_hot

LOOKS_SECRET = re.compile(r"(token|secret|password|code|key)\Z")
# Shown in the agent's state while the offer is open; a gate's name in batches; a token's prefix.
HARMLESS = {("", "offer_token"), ("GateOut", "key"), ("ChatbotOut", "token")}


def _writes() -> Iterator[tuple[str, Any]]:
    for path, methods in api.get_openapi_schema()["paths"].items():
        for method, operation in methods.items():
            if method != "get":
                yield f"{method.upper()} {path.removeprefix(ROOT)}", operation


def test_every_write_behind_django_takes_a_key_and_says_so() -> None:
    for name, operation in _writes():
        headers = [
            each["name"] for each in operation.get("parameters", ()) if each["in"] == "header"
        ]
        assert (HEADER in headers) is takes_key(name), name
        kinds = {
            kind
            for response in operation["responses"].values()
            for kind in response.get("content", {}).get(MEDIA_TYPE, {}).get("examples", ())
        }
        assert (set(KEYED) <= kinds) is takes_key(name), name


def test_the_hot_lane_takes_none() -> None:
    for hot in (numbers_hot, billing_hot, admission_hot, line_hot):
        hot.register()
    served = {
        route.path.removeprefix(ROOT).replace(":path}", "}")
        for route in lane.routes()
        if "POST" in route.app._methods
    }
    assert served == HOT
    assert {f"POST {path}" for path in HOT} <= {name for name, _ in _writes()}


def _views() -> dict[str, Any]:
    found = {}
    for prefix, router in api._routers:
        for path, view in router.path_operations.items():
            for operation in view.operations:
                whole_path = f"{prefix.strip('/')}/{path.strip('/')}".strip("/")
                whole_path = re.sub(r"\{\w+:", "{", whole_path)
                found.update({f"{way} {whole_path}": operation for way in operation.methods})
    return found


def _shows_secret(schemas: Schemas, schema: Any) -> bool:
    title = schema.get("$ref", "").rpartition("/")[2]
    fields = {field.path for field in schemas.fields(schema)}
    looks = {field for field in fields if LOOKS_SECRET.search(field)}
    return bool(looks - {field for owner, field in HARMLESS if owner in ("", title)})


def test_each_answer_with_a_secret_is_marked() -> None:
    schemas, views = Schemas(api.get_openapi_schema()), _views()
    shown, marked = set(), set()
    for name, operation in _writes():
        if not takes_key(name):
            continue
        if is_secret(views[name].view_func):
            marked.add(name)
        for status, response in operation["responses"].items():
            contents = response.get("content", {}).values() if int(status) < 400 else ()
            if any(_shows_secret(schemas, content["schema"]) for content in contents):
                shown.add(name)
    assert shown == marked
    assert len(marked) >= 4


def _form(name: str, content: bytes, boundary: str) -> Any:
    file = SimpleUploadedFile("a.pdf", content)
    body = encode_multipart(boundary, {"id": name, "file": file})
    request = RequestFactory().generic(
        "POST", "/api/v1/x", body, f"multipart/form-data; boundary={boundary}"
    )
    assert request.POST["id"] == name  # read, as ninja reads it
    return request


def test_a_form_with_a_file_is_known_by_what_it_holds() -> None:
    request = _form("m1", b"%PDF-1", "one")
    first = _fingerprint(request)
    assert request.FILES["file"].read() == b"%PDF-1"
    assert _fingerprint(_form("m1", b"%PDF-1", "two")) == first
    assert _fingerprint(_form("m1", b"%PDF-2", "one")) != first
    assert _fingerprint(_form("m2", b"%PDF-1", "one")) != first


@pytest.mark.parametrize(
    ("name", "takes"),
    [
        ("GET groups", False),
        ("POST groups", True),
        ("PATCH pools/{slug}/switches/{name}", True),
        ("POST pools/{slug}/events", False),
        ("DELETE pools/{slug}/events", True),
    ],
)
def test_the_hot_lane_is_told_by_method_and_path(name: str, takes: bool) -> None:
    assert takes_key(name) is takes
