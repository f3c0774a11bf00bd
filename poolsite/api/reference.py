"""The OpenAPI document as the API reference shows it: groups, operations, fields, examples."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from itertools import groupby
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from poolsite.api.problems import Problem, certain_types, problem_types
from poolsite.api.reference_access import ROOT, Access, Accesses
from poolsite.api.reference_schema import Field, Schemas

METHODS: Final = ("get", "post", "put", "patch", "delete")
# The pages by name, each with the first path segments that it shows.
PAGES: Final = {
    "numbers": (_("Numbers"), ("pools", "numbers")),
    "visits": (_("Visits"), ("queues", "visits")),
    "agents": (_("Agents"), ("agent",)),
    "desks": (_("Desks"), ("desks",)),
    "gates": (_("Gates"), ("gates", "devices")),
    "groups": (_("Dispatcher"), ("groups",)),
    "billing": (_("Billing"), ("accounts",)),
}
_PAGE_OF: Final = {word: name for name, (_title, words) in PAGES.items() for word in words}
ERRORS_FROM: Final = 400
_CODE: Final = re.compile(r"`([a-z-]+)`")
BASE: Final = "{base}"  # stands in requests for scheme and host
_LOGIN: Final = ("-b COOKIE_FILE", '-H "X-CSRFToken: TOKEN"')
_BEARER: Final = '-H "Authorization: Bearer $POOLSITE_TOKEN"'


@dataclass(frozen=True)
class Parameter:
    """A parameter, and where it stands: in the path, the query or a header."""

    field: Field
    where: str


@dataclass(frozen=True)
class Body:
    """A body: its media type, its type and fields, and an example of it, "" if there is none."""

    media_type: str
    type: str
    fields: tuple[Field, ...]
    example: str


@dataclass(frozen=True)
class Answer:
    """One answer that is no error."""

    status: int
    description: str
    body: Body | None


@dataclass(frozen=True)
class Failure:
    """An error: its status, what HTTP calls it, and the problem types known to occur."""

    status: int
    meaning: str
    types: tuple[str, ...]


@dataclass(frozen=True)
class Operation:
    """One method of one path; `anchor` names it on the page of its group."""

    anchor: str
    method: str
    path: str
    summary: str
    description: str
    access: Access
    parameters: tuple[Parameter, ...]
    body: Body | None
    answers: tuple[Answer, ...]
    failures: tuple[Failure, ...]
    failure_fields: tuple[Field, ...]  # beside those that every error has
    request: str  # for a shell, with BASE in it


@dataclass(frozen=True)
class Section:
    """Operations whose paths begin alike."""

    name: str
    operations: tuple[Operation, ...]


@dataclass(frozen=True)
class Group:
    """What one page shows."""

    tag: str
    title: Any
    sections: tuple[Section, ...]

    @property
    def operations(self) -> list[Operation]:
        """All of them, in the page's order."""
        return [each for section in self.sections for each in section.operations]


def groups_of(document: Mapping[str, Any], accesses: Accesses) -> tuple[Group, ...]:
    """The whole document by pages; what no page names stands on one called by its tag."""
    schemas = Schemas(document)
    found: dict[str, list[Operation]] = {name: [] for name in PAGES}
    for path, methods in document["paths"].items():
        for method in METHODS:
            if method in methods:
                told = methods[method]
                tag = next(iter(told.get("tags", ())), "other")
                operation = _operation(schemas, path, method, told, accesses(method.upper(), path))
                found.setdefault(_PAGE_OF.get(_resource(path), tag), []).append(operation)
    return tuple(
        Group(tag, PAGES[tag][0] if tag in PAGES else tag.capitalize(), tuple(_sections(shown)))
        for tag, shown in found.items()
        if shown
    )


def _sections(operations: Sequence[Operation]) -> Iterator[Section]:
    """By the first word of the path, in the order of the first of each."""
    first = list(dict.fromkeys(_resource(each.path) for each in operations))
    ordered = sorted(operations, key=lambda each: first.index(_resource(each.path)))
    for name, each in groupby(ordered, lambda operation: _resource(operation.path)):
        yield Section(name, tuple(each))


def _resource(path: str) -> str:
    return path.removeprefix(ROOT).partition("/")[0]


def _operation(
    schemas: Schemas, path: str, method: str, told: Mapping[str, Any], access: Access
) -> Operation:
    parameters = tuple(_parameter(schemas, each) for each in told.get("parameters", ()))
    body = _body(schemas, told.get("requestBody", {}), whole=False)
    description = str(told.get("description", ""))
    answers = sorted(
        ((int(status), each) for status, each in told["responses"].items()), key=lambda row: row[0]
    )
    failed = [(status, each) for status, each in answers if status >= ERRORS_FROM]
    return Operation(
        anchor=_anchor(method, path),
        method=method.upper(),
        path=path,
        summary=str(told.get("summary", "")),
        description=description,
        access=access,
        parameters=parameters,
        body=body,
        answers=tuple(
            Answer(status, str(each.get("description", "")), _body(schemas, each, whole=True))
            for status, each in answers
            if status < ERRORS_FROM
        ),
        failures=tuple(_failure(status, description) for status, _each in failed),
        failure_fields=_failure_fields(schemas, [each for _status, each in failed]),
        request=_curl(method.upper(), path, parameters, body, access),
    )


def _failure(status: int, description: str) -> Failure:
    """Known are the types that are alone with their status, and those that the words name."""
    named = set(_CODE.findall(description))
    types = [kind for at, kind, _title in problem_types() if at == status and kind in named]
    return Failure(status, HTTPStatus(status).phrase, (*certain_types(status), *types))


def _failure_fields(schemas: Schemas, told: Sequence[Mapping[str, Any]]) -> tuple[Field, ...]:
    found: dict[str, Field] = {}
    for each in told:
        body = _body(schemas, each, whole=False)
        for field in body.fields if body else ():
            found.setdefault(field.path, field)
    return tuple(field for path, field in found.items() if path not in Problem.model_fields)


def _anchor(method: str, path: str) -> str:
    words = re.findall(r"[a-z0-9]+", path.removeprefix(ROOT).lower())
    return "-".join([method, *words])


def _parameter(schemas: Schemas, told: Mapping[str, Any]) -> Parameter:
    schema = {**told.get("schema", {})}
    schema.setdefault("description", told.get("description", ""))
    needed = bool(told.get("required"))
    return Parameter(schemas.field(told["name"], schema, required=needed), told["in"])


def _body(schemas: Schemas, told: Mapping[str, Any], *, whole: bool) -> Body | None:
    """The first media type's; None without content."""
    for media_type, content in told.get("content", {}).items():
        schema = content.get("schema", {})
        fields = tuple(schemas.fields(schema))
        example = ""
        if "json" in media_type:
            value = schemas.example(schema, whole=whole)
            example = json.dumps(value, indent=2, ensure_ascii=False)
        return Body(media_type, schemas.type_of(schema), fields, example)
    return None


def _curl(
    method: str, path: str, parameters: Sequence[Parameter], body: Body | None, access: Access
) -> str:
    """A request for a shell; words in capitals are to be replaced."""
    address = re.sub(r"{(\w+)}", lambda found: found[1].upper(), path)
    asked = [
        f"{each.field.path}={each.field.path.upper()}"
        for each in parameters
        if each.where == "query" and each.field.required
    ]
    query = f"?{'&'.join(asked)}" if asked else ""
    lines = [f'curl "{BASE}{address}{query}"']
    if method not in ("GET", "POST") or (method == "POST" and body is None):
        lines[0] = lines[0].replace("curl", f"curl -X {method}", 1)
    if access.accepts == ("login",):
        lines.extend(_LOGIN)
    elif not access.public:
        lines.append(_BEARER)
    return " \\\n  ".join([*lines, *_sent(body)])


def _sent(body: Body | None) -> list[str]:
    if body is None:
        return []
    if not body.example:
        needed = [each for each in body.fields if each.depth == 0 and each.required]
        return [f'-F "{each.path}={_part(each)}"' for each in needed]
    return ['-H "Content-Type: application/json"', f"-d '{_compact(body.example)}'"]


def _part(field: Field) -> str:
    return "@FILE" if "binary" in field.type else field.path.upper()


def _compact(example: str) -> str:
    return json.dumps(json.loads(example), ensure_ascii=False).replace("'", "'\\''")
