"""Callers of the pool's API in tests: an operator who may act, a tenant, a stranger, a token."""

import json
from typing import Any

from django.test import Client

from numbers.models import Pool
from poolsite.access.models import User
from tests.numbers.people import operator, tenant, token_for


class Caller:
    """A caller with a session or a token."""

    def __init__(self, username: str = "", secret: str = "") -> None:
        self._client = Client()
        if username:
            self._client.force_login(User.objects.get(username=username))
        self._headers = {"Authorization": f"Bearer {secret}"} if secret else {}

    def get(self, path: str, **query: Any) -> tuple[int, Any]:
        response = self._client.get(f"/api/v1{path}", query, headers=self._headers)
        return response.status_code, response.json()

    def send(self, method: str, path: str, **body: Any) -> tuple[int, Any]:
        """Return the status and the body, None without one."""
        response = self._client.generic(
            method,
            f"/api/v1{path}",
            data=json.dumps(body) if method != "DELETE" else "",
            content_type="application/json",
            headers=self._headers,
        )
        return response.status_code, response.json() if response.content else None

    def post(self, path: str, **body: Any) -> tuple[int, Any]:
        return self.send("POST", path, **body)

    def patch(self, path: str, **body: Any) -> tuple[int, Any]:
        return self.send("PATCH", path, **body)

    def delete(self, path: str) -> tuple[int, Any]:
        return self.send("DELETE", path)


def boss() -> Caller:
    """Return an operator with the grant `operate`."""
    operator()
    return Caller("olive")


def refused(pool: Pool, method: str, path: str, **body: Any) -> list[tuple[int, str]]:
    """Return the answers to the pool's owner, its token, another owner and an anonymous caller."""
    tenant("far") if not User.objects.filter(username="far-owner").exists() else None
    callers = [
        Caller(f"{pool.account.slug}-owner" if pool.account else "far-owner"),
        Caller(secret=token_for(pool)),
        Caller("far-owner"),
        Caller(),
    ]
    answers = [caller.send(method, path, **body) for caller in callers]
    return [(status, told["type"]) for status, told in answers]


NOT_THEIRS = [
    (403, "forbidden"),
    (403, "forbidden"),
    (404, "unknown-pool"),
    (401, "unauthenticated"),
]
