"""The problem types that the document lists for an operation are those that its code answers."""

import inspect
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from billing.api import hot as billing_hot
from numbers.api import hot as numbers_hot
from numbers.services import claim_release, number_claim
from poolsite.api import lane
from poolsite.api.problems import COMMON, operations_with_types, own_types, problem_types
from poolsite.api.reference_access import ROOT
from poolsite.api.root import api
from queueing.admission.api import hot as admission_hot
from queueing.line.api import hot as line_hot
from tests.support.raised import Raised, raised_by

Views = list[Callable[..., Any]]
# Their callers turn these functions' refusals into `no-number`.
ENDS = (number_claim, claim_release)
# Problem types on a code path that the operation never takes.
NEVER = {
    ("POST desks/{slug}/left-messages/{message}/handled", "not-yours"): "it ends anybody's call",
    ("POST agent/call-end", "no-number"): "only a call that begins waits for one that ends",
    ("POST numbers/twins/merge", "not-allowed"): "each number's refusal is in the answer",
    ("PATCH pools/{slug}", "not-allowed"): "a home is refused as a bad field",
    ("POST agent/notes", "visit-ended"): "a note may follow the end",
    ("POST agent/outcome", "visit-ended"): "a note may follow the end",
    ("POST desks/{slug}/visits/{visit}/leave", "visit-ended"): "it announces nothing then",
    ("POST desks/{slug}/visits/{visit}/front", "unknown-queue"): "it is the visit's own queue",
}
BROUGHT = {"no-tariff", "no-rate"}  # from a price's error, whose kind is answered
PAGES_ONLY = {"method", "unknown-file"}


def _all(function: Any) -> Views:
    """Return a function, or the methods of a callable object."""
    if inspect.isfunction(function):
        return [function]
    own = [each for kind in type(function).__mro__ for each in [kind.__dict__.get("__call__")]]
    parts = [each for each in vars(function).values() if inspect.isfunction(each)]
    return [each for each in [*own, *parts] if inspect.isfunction(each)]


def _behind_django() -> Iterator[tuple[str, Views]]:
    for prefix, router in api._routers:
        for path, view in router.path_operations.items():
            for operation in view.operations:
                whole = f"{prefix.strip('/')}/{path.strip('/')}".strip("/")
                whole = re.sub(r"\{\w+:", "{", whole)  # without the converter
                views: Views = [operation.view_func]
                for auth in (*operation.auth_callbacks, router.auth):
                    views += _all(auth) if callable(auth) else []
                yield from ((f"{method} {whole}", views) for method in operation.methods)


@cache
def _views() -> dict[str, Views]:
    """Return what serves each operation: its hot lane and its Django view, where it has both."""
    for hot in (numbers_hot, billing_hot, admission_hot, line_hot):
        hot.register()
    found = dict(_behind_django())
    for route in lane.routes():
        guarded: Any = route.app
        path = route.path.removeprefix(ROOT).replace(":path}", "}")
        for method in guarded._methods:
            name = f"{method} {path}"
            if name in found:
                found[name] = [*found[name], *_all(guarded._endpoint)]
    return found


def _raised(name: str) -> Raised:
    return raised_by(_views()[name], ends=ENDS)


def _names() -> list[str]:
    paths = api.get_openapi_schema()["paths"]
    return [
        f"{method.upper()} {path.removeprefix(ROOT)}"
        for path, ways in paths.items()
        for method in ways
    ]


def _wrong(name: str) -> list[str]:
    raised, declared = _raised(name), set(own_types(name))
    never = {kind for operation, kind in NEVER if operation == name}
    found = {
        "is not in the document": raised.certain - COMMON - never - declared,
        "is never answered": declared - COMMON - BROUGHT - raised.certain - raised.possible,
        "is in NEVER, and in the document": declared & never,
    }
    return [f"{name}: {kind} {told}" for told, kinds in found.items() for kind in sorted(kinds)]


def test_the_document_names_what_the_code_answers_and_nothing_else() -> None:
    assert [each for name in _names() for each in _wrong(name)] == []


def test_every_type_is_answered_by_some_operation_or_by_pages_alone() -> None:
    declared = {kind for name in operations_with_types() for kind in own_types(name)}
    known = {kind for _status, kind, _when in problem_types()}
    assert operations_with_types() <= set(_names())
    assert declared <= known
    assert known - declared - COMMON == PAGES_ONLY


def test_when_a_type_is_answered_is_a_sentence() -> None:
    assert [when for _status, _kind, when in problem_types() if not when.endswith(".")] == []
