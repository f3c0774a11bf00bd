"""What holds for every answer, and the findings: each kind of violation once."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from schemathesis import Case
from schemathesis.checks import CHECKS
from schemathesis.core.failures import FailureGroup
from schemathesis.core.transport import Response

from tests.fuzz.world import MARKS

PROBLEM, JSON = "application/problem+json", "application/json"
TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{8,}(Z|[+-][0-9:]{5})")
MONEY = re.compile(r"-?[0-9]+[.][0-9]{4}")
CHECKED = (
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
)
# Texts in an answer that would disclose internals.
INSIDE = ("Traceback (most", 'File "/', "django.db", "sqlite3.", "psycopg", "SELECT ", "EVALSHA")
SHOWN_TO_ALL = ("GET /queues/{slug}", "POST /queues/{slug}/join")  # shows the queue's name


@dataclass
class Findings:
    """Each kind of fault once, with how often it was seen and the first request that showed it."""

    first: dict[str, str] = field(default_factory=dict)
    count: Counter[str] = field(default_factory=Counter)

    def add(self, kind: str, told: str) -> None:
        self.count[kind] += 1
        self.first.setdefault(kind, told)

    def __str__(self) -> str:
        return "\n\n".join(
            f"{self.count[kind]}x {kind}\n{told}" for kind, told in self.first.items()
        )


def checks_named(*names: str) -> list[Any]:
    """Return Schemathesis' checks by name. Fail if one is missing."""
    found = [check for check in CHECKS.get_all() if check.__name__ in names]
    assert len(found) == len(names), names
    return found


def judge(case: Case, response: Response, tenant: str) -> Iterator[str]:
    """Yield what is wrong with an answer to a caller of this tenant.

    tenant: "" for a caller without a tenant, or for the platform.
    """
    if response.status_code >= 500:
        yield f"answered {response.status_code}"
    text = response.content.decode(errors="replace")  # a file may contain any bytes
    for word in INSIDE:
        if word in text:
            yield f"tells of the inside: {word}"
    for slug, mark in MARKS.items():
        if tenant and tenant != slug and mark in text:
            yield f"{tenant} reads of {slug}"
    if response.status_code >= 400:
        yield from _problem(case, response)
    elif (example := _told(case, response, JSON).get("example")) is not None:
        yield from _unlike(example, response.json())
    yield from conforms(case, response, *CHECKED)


def conforms(case: Case, response: Response, *checks: str) -> Iterator[str]:
    """Yield Schemathesis' findings."""
    try:
        case.validate_response(response, checks=checks_named(*checks))
    except FailureGroup as group:
        for failure in group.exceptions:
            yield f"{type(failure).__name__}: {getattr(failure, 'message', '')[:200]}"


def _problem(case: Case, response: Response) -> Iterator[str]:
    """Check RFC 9457: the media type, and a problem type that the document lists here."""
    kind = next(iter(response.headers.get("content-type", [])), "")
    if not kind.startswith(PROBLEM):
        yield f"{response.status_code} is no problem document but {kind}"
        return
    body = response.json()
    if body.get("status") != response.status_code:
        yield f"a problem of {response.status_code} says {body.get('status')}"
    if not (body.get("type") and body.get("title")):
        yield "a problem without type or title"
    if body.get("type") not in _told(case, response, PROBLEM).get("examples", ()):
        yield f"{response.status_code}: the document does not name the type {body.get('type')}"


def _told(case: Case, response: Response, media_type: str) -> dict[str, Any]:
    """Return what the document declares for an answer with this status."""
    told = case.operation.definition.raw["responses"].get(str(response.status_code), {})
    content: dict[str, Any] = told.get("content", {}).get(media_type, {})
    return content


def _unlike(example: Any, answer: Any, name: str = "") -> Iterator[str]:
    """Yield the fields for which the example's time or money format differs from the answer's."""
    if isinstance(example, dict) and isinstance(answer, dict):
        # A wallet's first generation is 1, a later one is a time.
        for key in (example.keys() & answer.keys()) - {"generation"}:
            yield from _unlike(example[key], answer[key], f"{name}.{key}")
    elif isinstance(example, list) and isinstance(answer, list):
        for one, other in zip(example, answer, strict=False):
            yield from _unlike(one, other, f"{name}[]")
    elif example and answer and _form(example) != _form(answer):
        yield f"the example of {name} has another form than the answer: {example}"


def _form(value: Any) -> str:
    """Return a time's unit or zone, "money" for money, or "" for everything else."""
    text = str(value)
    if isinstance(value, int):
        return f"{len(text)} digits" if len(text) in (13, 16) else ""
    if isinstance(value, float):  # money is a text; a wait may have four decimals, too
        return ""
    zone = TIME.fullmatch(text)
    return zone[1] if zone else "money" if MONEY.fullmatch(text) else ""


def told_of(case: Case, who: str, response: Response) -> str:
    """Return a call and its answer as text, for a person who investigates."""
    body = response.request.body
    if isinstance(body, bytes):
        body = body.decode(errors="replace")
    answered = response.content[:400].decode(errors="replace")
    return (
        f"  {response.request.method} {response.request.url} as {who}\n"
        f"  {str(body)[:400]}\n  -> {response.status_code} {answered}"
    )
