"""Completes ninja's OpenAPI document: errors by their problem types, and examples."""

from collections.abc import Mapping
from itertools import groupby
from typing import Any, Final

from poolsite.api import problems
from poolsite.api.credentials import SAFE_METHODS
from poolsite.api.examples import Examples
from poolsite.api.idempotency import HEADER
from poolsite.api.problems import MEDIA_TYPE, Problem, problem, problem_types
from poolsite.api.reference_access import HOT, MACHINES, ROOT, Access, Accesses
from poolsite.api.reference_schema import Schemas

ERRORS_FROM: Final = 400
JSON: Final = "application/json"
PROBLEM: Final = {"$ref": "#/components/schemas/Problem"}
RETRY_AFTER: Final = {
    "description": "Seconds to wait before the next request, as an integer.",
    "required": True,
    "schema": {"type": "integer", "minimum": 1},
}
KEY: Final = {
    "in": "header",
    "name": HEADER,
    "description": (
        "Makes it safe to send the request again: it runs once for each key and credential. A "
        "repeat gets the first response, with the header `Idempotency-Replayed: true`. Keys are "
        "kept for 24 hours. Use a random text such as a UUID."
    ),
    "required": False,
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"},
}
# The `detail` in the example of a type.
DETAILS: Final = {"malformed": "number: Field required"}


def complete(document: dict[str, Any], accesses: Accesses) -> None:
    """Add to each operation its errors, and examples of its parameters, bodies and responses.

    The example of an error is in the components, under its problem type.
    """
    known = problem_types()
    document["components"]["schemas"]["Problem"] = Problem.model_json_schema()
    document["components"]["examples"] = {
        kind: {
            "summary": problem(kind)["title"],
            "description": when,
            "value": problem(kind, DETAILS.get(kind, "")),
        }
        for _status, kind, when in known
    }
    examples = Examples(Schemas(document))
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            _keep_alternatives(operation)
            name = f"{method.upper()} {path.removeprefix(ROOT)}"
            if takes_key(name):
                operation["parameters"] = [*operation.get("parameters", ()), KEY]
            kinds = _kinds(name, operation, accesses(method.upper(), path))
            rows = [row for row in known if row[1] in kinds]
            operation["responses"] = _responses(operation.get("responses", {}), rows)
            _add_examples(operation, examples, path.removeprefix(ROOT).partition("/")[0])


def _keep_alternatives(operation: Mapping[str, Any]) -> None:
    """Keep only the alternatives of a body that is one object or an array.

    ninja adds the `anyOf` of `openapi_extra` to its own `$ref`. Next to a `$ref`, client generators
    ignore everything else, and would only know the single object.
    """
    for content in operation.get("requestBody", {}).get("content", {}).values():
        if "anyOf" in content["schema"]:
            content["schema"].pop("$ref", None)


def takes_key(name: str) -> bool:
    """Return whether an operation (`POST groups`) uses an Idempotency-Key.

    Operations of the hot lane have their own IDs, in the body.
    """
    method, _space, path = name.partition(" ")
    return method not in SAFE_METHODS and not (method == "POST" and path in HOT)


def _kinds(name: str, operation: Mapping[str, Any], access: Access) -> set[str]:
    """Return the problem types of an operation: those of its form, and its own."""
    body = operation.get("requestBody", {}).get("content", {})
    method, _space, path = name.partition(" ")
    kinds = {*problems.ALWAYS, *problems.own_types(name)}
    if not access.public:
        kinds.update(problems.CREDENTIAL)
    if operation.get("parameters"):
        kinds.update(problems.INPUT)
    if body:
        kinds.update(problems.JSON_BODY if JSON in body else problems.BODY)
    if method != "GET":
        kinds.update(problems.CHANGE)
    if takes_key(name):
        kinds.update(problems.KEYED)
    if body and path in MACHINES:
        kinds.add("media-type")
    return kinds


def _responses(
    told: Mapping[Any, dict[str, Any]], known: list[tuple[int, str, str]]
) -> dict[str, Any]:
    """Return the success responses, and errors of these types. The routes define their schema."""
    schema = PROBLEM
    found = {}
    for status, response in told.items():
        if int(status) < ERRORS_FROM:
            found[str(status)] = response
        elif JSON in response.get("content", {}):
            schema = response["content"][JSON]["schema"]
    for number, rows in groupby(known, lambda row: row[0]):
        found[str(number)] = _failure(number, [row[1:] for row in rows], schema)
    return found


def _failure(status: int, rows: list[tuple[str, str]], schema: Any) -> dict[str, Any]:
    content = {
        "schema": schema,
        "examples": {kind: {"$ref": f"#/components/examples/{kind}"} for kind, _when in rows},
    }
    failure: dict[str, Any] = {
        "description": "\n".join(f"- `{kind}`: {when}" for kind, when in rows),
        "content": {MEDIA_TYPE: content},
    }
    if status == problems.status_of("rate-limited"):
        failure["headers"] = {"Retry-After": RETRY_AFTER}
    return failure


def _add_examples(operation: Mapping[str, Any], examples: Examples, first: str) -> None:
    for parameter in operation.get("parameters", ()):
        if (value := examples.of_parameter(parameter, first)) is not None:
            parameter["example"] = value
    for body in (operation.get("requestBody", {}), *operation["responses"].values()):
        for media_type, content in body.get("content", {}).items():
            if media_type != MEDIA_TYPE and "example" not in content:
                content["example"] = examples.of_body(content["schema"])
