"""An assertion: which reader gets which answer from a page."""

import re
from collections.abc import Mapping
from typing import Any

from django.http import HttpResponseBase
from django.urls import resolve

from tests.access.world import READERS, World
from tests.support.matrix import observe

OWN_WORDS = re.compile(r"\bown-(?:pool|switch|gate|group|desk|help|shop)\b")
API_APPS = {
    **dict.fromkeys(("accounts", "invoicing"), "billing"),
    **dict.fromkeys(("agent", "desks", "queues", "visits"), "line"),
    **dict.fromkeys(("devices", "gates"), "admission"),
    "groups": "dispatch",
    "jobs": "jobs",
    **dict.fromkeys(("audit-log", "people", "profile", "tokens"), "access"),
    **dict.fromkeys(
        ("alert-recipients", "incidents", "objects", "saved-views", "webhook-events", "webhooks"),
        "operations",
    ),
    **dict.fromkeys(("numbers", "pools"), "numbers"),
}
# ok: the page, or a redirect that belongs to it · login: to the login page (API: 401)
# no: 403 · hidden: 404 · confirm: to the second factor
ANSWERS = ("ok", "login", "no", "hidden", "confirm", "method")


def answer_of(response: HttpResponseBase) -> str:
    """Return the word for a response."""
    status = response.status_code
    if status in (301, 302, 303):
        target = response["Location"]
        if target.startswith(("/login/", "/admin/login/")):
            return "login"
        return "confirm" if target.startswith("/security/confirm/") else "ok"
    words = {401: "login", 403: "no", 404: "hidden", 405: "method"}
    return words.get(status, "ok" if status < 500 else f"error {status}")


def assert_answers(
    world: World,
    url: str,
    expected: Mapping[str, str],
    *,
    method: str = "get",
    data: Mapping[str, Any] | None = None,
    counted: bool = True,
) -> None:
    """Fetch a page without a login, in each role, as operators and as another tenant.

    `expected` maps readers to answers. "members" stands for every role of the own account,
    "operators" for every operator, "*" for all who are not listed. counted: whether the answers
    count in the matrix that the run prints (tests/support/matrix.py).
    """
    wrong = {}
    area = area_of(url)
    for reader in READERS:
        wanted = expected_of(expected, reader)
        response = getattr(world.client(reader), method)(url, data or {})
        got = answer_of(response)
        leaks = words_of_own(response, url) if reader == "foreign" else 0
        if counted:
            observe(area, reader, got, expected=got == wanted and not leaks, leaks=leaks)
        if leaks:
            wrong[reader] = f"{leaks} words of the account own"
        if got != wanted:
            wrong[reader] = f"{got} ({response.status_code}), not {wanted}"
    assert not wrong, f"{method.upper()} {url}: {wrong}"


def area_of(url: str) -> str:
    """Return the row of the matrix: the admin, or pages or API of the app that serves them."""
    if url.startswith("/admin/"):
        return "admin"
    if url.startswith("/api/"):
        first = re.split(r"[/?]", url.removeprefix("/api/v1/"))[0]
        return f"API {API_APPS.get(first, 'itself')}"
    found = resolve(url.partition("?")[0])
    app = found.app_name or found.func.__module__.removeprefix("poolsite.")
    return f"pages {app.partition('.')[0]}"


def words_of_own(response: HttpResponseBase, url: str) -> int:
    """Count the words of the account `own` in an answer that the URL did not contain."""
    if response.status_code != 200:
        return 0
    found = OWN_WORDS.findall(getattr(response, "content", b"").decode(errors="replace"))
    return sum(word not in url for word in found)


def expected_of(expected: Mapping[str, str], reader: str) -> str:
    """Return the answer that a reader should get, by name or by group."""
    groups = [reader]
    if reader in ("looker", "operate", "finance", "supervise"):
        groups.append("operators")
    elif reader not in ("nobody", "foreign", "roleless"):
        groups.append("members")
    for name in (*groups, "*"):
        if name in expected:
            return expected[name]
    raise AssertionError(f"no answer is declared for {reader}")
