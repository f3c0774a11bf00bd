"""What holds for every answer, and the findings: what did not hold, once for each kind."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from schemathesis import Case
from schemathesis.checks import CHECKS
from schemathesis.core.failures import FailureGroup
from schemathesis.core.transport import Response

from tests.fuzz.world import MARKS

PROBLEM = "application/problem+json"
CHECKED = (
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
)
# What an answer would tell of our inside.
INSIDE = ("Traceback (most", 'File "/', "django.db", "sqlite3.", "psycopg", "SELECT ", "EVALSHA")
SHOWN_TO_ALL = ("GET /queues/{slug}", "POST /queues/{slug}/join")  # a queue's door has its name


@dataclass
class Findings:
    """Each kind of fault once, with how often it was seen and what was sent first."""

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
    """Schemathesis' checks by their names; all of them must be there."""
    found = [check for check in CHECKS.get_all() if check.__name__ in names]
    assert len(found) == len(names), names
    return found


def judge(case: Case, response: Response, tenant: str) -> Iterator[str]:
    """What is wrong with an answer to somebody of this tenant ("" = nobody's, or the platform)."""
    if response.status_code >= 500:
        yield f"answered {response.status_code}"
    text = response.text
    for word in INSIDE:
        if word in text:
            yield f"tells of the inside: {word}"
    for slug, mark in MARKS.items():
        if tenant and tenant != slug and mark in text:
            yield f"{tenant} reads of {slug}"
    if response.status_code >= 400:
        yield from _problem(response)
    yield from conforms(case, response, *CHECKED)


def conforms(case: Case, response: Response, *checks: str) -> Iterator[str]:
    """What schemathesis says."""
    try:
        case.validate_response(response, checks=checks_named(*checks))
    except FailureGroup as group:
        for failure in group.exceptions:
            yield f"{type(failure).__name__}: {getattr(failure, 'message', '')[:200]}"


def _problem(response: Response) -> Iterator[str]:
    """RFC 9457: the media type, and the members that say what kind of problem it is."""
    kind = next(iter(response.headers.get("content-type", [])), "")
    if not kind.startswith(PROBLEM):
        yield f"{response.status_code} is no problem document but {kind}"
        return
    body = response.json()
    if body.get("status") != response.status_code:
        yield f"a problem of {response.status_code} says {body.get('status')}"
    if not (body.get("type") and body.get("title")):
        yield "a problem without type or title"


def told_of(case: Case, who: str, response: Response) -> str:
    """A call and its answer, for a person who looks into it."""
    body = response.request.body
    if isinstance(body, bytes):
        body = body.decode(errors="replace")
    return (
        f"  {response.request.method} {response.request.url} as {who}\n"
        f"  {str(body)[:400]}\n  -> {response.status_code} {response.text[:400]}"
    )
