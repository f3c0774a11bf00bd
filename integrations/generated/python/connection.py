"""Clients, answers and waiting: the parts that the example adds to the generated client."""

import os
import re
import time
from collections.abc import Callable
from typing import Any, TypeVar

from poolsite_api import AuthenticatedClient, models
from poolsite_api.api.tokens import create_token
from poolsite_api.types import Response

URL, ACCOUNT = os.environ["POOLSITE_URL"], os.environ["POOLSITE_ACCOUNT"]
DEADLINE_SECONDS = 120
T = TypeVar("T")


def login_client(cookie: str) -> AuthenticatedClient:
    """Return a client with a person's login. Only people can create tokens and move money."""
    csrf = next(re.finditer(r"csrf=([^;]+)", cookie))[1]
    headers = {"X-CSRFToken": csrf, "Referer": URL}
    return AuthenticatedClient(URL, cookie, "", "Cookie", headers=headers)


def token_client(token: str) -> AuthenticatedClient:
    return AuthenticatedClient(URL, token)


def expect(kind: type[T], answer: Response[Any]) -> T:
    """Return the parsed answer. Raise SystemExit with the problem if it has another type."""
    if not isinstance(answer.parsed, kind):
        raise SystemExit(f"{answer.status_code}: {answer.content.decode()}")
    return answer.parsed


def wait_for(what: Callable[[], T | None]) -> T:
    """Call `what` until it returns a result. Raise SystemExit if it returns none in time.

    Data that is written to SQL or delivered follows within seconds.
    """
    ends = time.monotonic() + DEADLINE_SECONDS
    while time.monotonic() < ends:
        if (found := what()) is not None:
            return found
        time.sleep(0.3)
    raise SystemExit("nothing came in time")


def new_token(
    person: AuthenticatedClient,
    name: str,
    resources: list[str],
    actions: list[str],
    events: list[str] | None = None,
    account: str | None = ACCOUNT,
) -> AuthenticatedClient:
    """Return a client with a new token of the account, or of the platform if `account` is None."""
    body = models.ApiTokenIn(name, actions, resources, account=account, events=events or [])
    made = expect(models.ApiTokenMadeOut, create_token.sync_detailed(client=person, body=body))
    return token_client(made.token)
