"""The OpenAPI document as the API reference shows it: groups, operations, fields, examples."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final
from urllib.parse import quote, urlencode

from django.utils.translation import gettext_lazy as _

from poolsite.api.document import ERRORS_FROM
from poolsite.api.problems import COMMON, Problem, problem_types
from poolsite.api.reference_access import ROOT, Access, Accesses
from poolsite.api.reference_schema import Field, Schemas

METHODS: Final = ("get", "post", "put", "patch", "delete")
# The pages by name, each with the first path segments that it shows. A page without segments shows
# the operations whose tag is its name.
PAGES: Final = {
    "numbers": (_("Numbers"), ("pools", "numbers")),
    "pools": (_("Pools"), ()),
    "visits": (_("Visits"), ("queues", "visits")),
    "agents": (_("Agents"), ("agent",)),
    "desks": (_("Desks"), ("desks",)),
    "desk-setup": (_("Desk settings"), ()),
    "desk-people": (_("Agents and visitors of a desk"), ()),
    "gates": (_("Gates"), ("gates",)),
    "batches": (_("Batches and devices"), ()),
    "groups": (_("Dispatcher"), ("groups",)),
    "billing": (_("Billing"), ("accounts",)),
    "payments": (_("Top-ups and tariffs"), ()),
    "statements": (_("Statements"), ()),
    "invoices": (_("Invoices"), ()),
    "campaigns": (_("Campaigns and chatbots"), ()),
    "people": (_("People"), ("people",)),
    "access": (_("Tokens and audit log"), ("tokens", "audit-log")),
    "incidents": (_("Incidents, tags and notes"), ("incidents", "objects", "alert-recipients")),
    "webhooks": (_("Webhooks"), ("webhooks", "webhook-events")),
    "jobs": (_("Jobs"), ("jobs",)),
    "profile": (_("Profile and saved views"), ("profile", "saved-views")),
}
_PAGE_OF: Final = {word: name for name, (_title, words) in PAGES.items() for word in words}
BASE: Final = "{base}"  # replaces scheme and host in requests
LINE: Final = 70  # a body that is longer has lines of its own
_LOGIN: Final = ("-b cookies.txt", '-H "X-CSRFToken: $CSRF_TOKEN"')
_BEARER: Final = '-H "Authorization: Bearer $POOLSITE_TOKEN"'


@dataclass(frozen=True)
class Parameter:
    """A parameter, its place (path, query or header), and an example, "" if there is none."""

    field: Field
    where: str
    example: str


@dataclass(frozen=True)
class Body:
    """A body: its media type, its type and fields, and an example."""

    media_type: str
    type: str
    fields: tuple[Field, ...]
    value: Any

    @property
    def example(self) -> str:
        """The text of the example."""
        if isinstance(self.value, str):
            return self.value
        return json.dumps(self.value, indent=2, ensure_ascii=False)


@dataclass(frozen=True)
class ResponseEntry:
    """One response that is no error."""

    status: int
    description: str
    body: Body | None


@dataclass(frozen=True)
class Failure:
    """An error: its status, its problem type, and when it is returned."""

    status: int
    type: str
    when: str

    @property
    def is_common(self) -> bool:
        """Whether the type is not specific to any operation."""
        return self.type in COMMON


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
    answers: tuple[ResponseEntry, ...]
    failures: tuple[Failure, ...]
    failure_fields: tuple[Field, ...]  # apart from those that every error has
    request: str  # for a shell, with BASE in it

    @property
    def own_failures(self) -> list[Failure]:
        """The errors that only some operations have."""
        return [each for each in self.failures if not each.is_common]

    @property
    def common_failures(self) -> list[Failure]:
        """The errors that every operation can have."""
        return [each for each in self.failures if each.is_common]


@dataclass(frozen=True)
class OperationSection:
    """Operations whose paths have the same first segment."""

    name: str
    operations: tuple[Operation, ...]


@dataclass(frozen=True)
class OperationGroup:
    """The operations of one page."""

    tag: str
    title: Any
    sections: tuple[OperationSection, ...]

    @property
    def operations(self) -> list[Operation]:
        """All operations, in the page's order."""
        return [each for section in self.sections for each in section.operations]


def groups_of(document: Mapping[str, Any], accesses: Accesses) -> tuple[OperationGroup, ...]:
    """Return the document by pages. Operations that no page names get one named by their tag."""
    schemas = Schemas(document)
    found: dict[str, list[Operation]] = {name: [] for name in PAGES}
    for path, methods in document["paths"].items():
        for method in METHODS:
            if method in methods:
                told = methods[method]
                tag = next(iter(told.get("tags", ())), "other")
                operation = _operation(schemas, path, method, told, accesses(method.upper(), path))
                found.setdefault(_page_of(path, tag), []).append(operation)
    return tuple(
        OperationGroup(
            tag, PAGES[tag][0] if tag in PAGES else tag.capitalize(), tuple(_sections(shown))
        )
        for tag, shown in found.items()
        if shown
    )


def _page_of(path: str, tag: str) -> str:
    """Return the page of an operation: by its tag, else by the first segment of its path.

    The tag counts if its page has no path segments of its own.
    """
    if tag in PAGES and not PAGES[tag][1]:
        return tag
    return _PAGE_OF.get(_resource(path), tag)


def _sections(operations: Sequence[Operation]) -> Iterator[OperationSection]:
    """Yield the operations by the first segment of the path, in the order of their first."""
    first = list(dict.fromkeys(_resource(each.path) for each in operations))
    ordered = sorted(operations, key=lambda each: first.index(_resource(each.path)))
    for name, each in groupby(ordered, lambda operation: _resource(operation.path)):
        yield OperationSection(name, tuple(each))


def _resource(path: str) -> str:
    return path.removeprefix(ROOT).partition("/")[0]


def _operation(
    schemas: Schemas, path: str, method: str, told: Mapping[str, Any], access: Access
) -> Operation:
    parameters = tuple(_parameter(schemas, each) for each in told.get("parameters", ()))
    body = _body(schemas, told.get("requestBody", {}))
    answers = sorted(
        ((int(status), each) for status, each in told["responses"].items()), key=lambda row: row[0]
    )
    failed = [(status, each) for status, each in answers if status >= ERRORS_FROM]
    return Operation(
        anchor=_anchor(method, path),
        method=method.upper(),
        path=path,
        summary=str(told.get("summary", "")),
        description=str(told.get("description", "")),
        access=access,
        parameters=parameters,
        body=body,
        answers=tuple(
            ResponseEntry(status, str(each.get("description", "")), _body(schemas, each))
            for status, each in answers
            if status < ERRORS_FROM
        ),
        failures=tuple(_failures(each for _status, each in failed)),
        failure_fields=_failure_fields(schemas, [each for _status, each in failed]),
        request=_curl(method.upper(), path, parameters, body, access),
    )


def _failures(failed: Iterable[Mapping[str, Any]]) -> Iterator[Failure]:
    """Yield one failure for each problem type of which a response has an example."""
    known = {kind: Failure(status, kind, when) for status, kind, when in problem_types()}
    for response in failed:
        for content in response.get("content", {}).values():
            yield from (known[kind] for kind in content.get("examples", ()))


def _failure_fields(schemas: Schemas, told: Sequence[Mapping[str, Any]]) -> tuple[Field, ...]:
    found: dict[str, Field] = {}
    for each in told:
        body = _body(schemas, each)
        for field in body.fields if body else ():
            found.setdefault(field.path, field)
    return tuple(field for path, field in found.items() if path not in Problem.model_fields)


def _anchor(method: str, path: str) -> str:
    words = re.findall(r"[a-z0-9]+", path.removeprefix(ROOT).lower())
    return "-".join([method, *words])


def _parameter(schemas: Schemas, told: Mapping[str, Any]) -> Parameter:
    schema = {**told.get("schema", {})}
    schema.setdefault("description", told.get("description", ""))
    field = schemas.field(told["name"], schema, required=bool(told.get("required")))
    return Parameter(field, told["in"], str(told.get("example", "")))


def _body(schemas: Schemas, told: Mapping[str, Any]) -> Body | None:
    """Return the body of the first media type, or None without content."""
    for media_type, content in told.get("content", {}).items():
        schema = content.get("schema", {})
        fields = tuple(schemas.fields(schema))
        return Body(media_type, schemas.type_of(schema), fields, content.get("example"))
    return None


def _curl(
    method: str, path: str, parameters: Sequence[Parameter], body: Body | None, access: Access
) -> str:
    """Return a request for a shell, with the examples as its values."""
    values = {each.field.path: each.example for each in parameters}
    address = re.sub(r"{(\w+)}", lambda found: quote(values[found[1]]), path)
    asked = [each.field.path for each in parameters if each.where == "query" and each.example]
    query = urlencode({name: values[name] for name in asked})
    lines = [f'curl "{BASE}{address}{query and "?"}{query}"']
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
    if "json" not in body.media_type:
        files = {each.path for each in body.fields if "binary" in each.type}
        return [
            f'-F "{name}={"@" if name in files else ""}{value}"'
            for name, value in body.value.items()
        ]
    line = json.dumps(body.value, ensure_ascii=False)
    data = (line if len(line) <= LINE else body.example).replace("'", "'\\''")
    return ['-H "Content-Type: application/json"', f"-d '{data}'"]
