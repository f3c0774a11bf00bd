"""One assertion: who gets which answer from a page."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponseBase

from tests.access.world import READERS, World

# ok: the page or a redirect that belongs to it · login: to the log-in page (API: 401)
# no: 403 · hidden: 404 · confirm: to the second factor
ANSWERS = ("ok", "login", "no", "hidden", "confirm", "method")


def answer_of(response: HttpResponseBase) -> str:
    """The word for a response."""
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
) -> None:
    """Fetch a page as nobody, as each role, as operators and as a foreign tenant.

    `expected` maps readers to answers; "members" stands for every role of the own account,
    "operators" for every operator, "*" for all who are not named.
    """
    wrong = {}
    for reader in READERS:
        wanted = expected_of(expected, reader)
        response = getattr(world.client(reader), method)(url, data or {})
        got = answer_of(response)
        if got != wanted:
            wrong[reader] = f"{got} ({response.status_code}), not {wanted}"
    assert not wrong, f"{method.upper()} {url}: {wrong}"


def expected_of(expected: Mapping[str, str], reader: str) -> str:
    """What a reader should get, by name or by group."""
    groups = [reader]
    if reader in ("looker", "operate", "finance", "supervise"):
        groups.append("operators")
    elif reader not in ("nobody", "foreign", "roleless"):
        groups.append("members")
    for name in (*groups, "*"):
        if name in expected:
            return expected[name]
    raise AssertionError(f"no answer is declared for {reader}")
