"""The public HTTP interface of a pool, as a switch uses it."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx

EVENTS_PER_REQUEST = 500


class UnreachableError(Exception):
    """No answer, or one that leaves the outcome open (502, 503, 504): ask again."""


@dataclass(frozen=True)
class Answer:
    """One event's answer: the HTTP status and the body as the server sent it."""

    status: int
    body: Mapping[str, Any]

    @property
    def ok(self) -> bool:
        return self.status == httpx.codes.OK and self.body.get("outcome") == "ok"

    @property
    def reason(self) -> str:
        return str(self.body.get("reason", ""))


class PoolClient:
    """Sends events for one switch; every call may raise UnreachableError."""

    def __init__(self, *, http: httpx.AsyncClient, slug: str, token: str) -> None:
        self._http = http
        self._path = f"/api/v1/pools/{slug}"
        self._headers = {"Authorization": f"Bearer {token}"}

    async def send(self, event: Mapping[str, Any]) -> Answer:
        """Send one event."""
        response = await self._post("/events", event)
        return Answer(response.status_code, response.json())

    async def send_many(self, events: Sequence[Mapping[str, Any]]) -> list[Answer]:
        """Send events in batches, in order; one answer each."""
        answers: list[Answer] = []
        for start in range(0, len(events), EVENTS_PER_REQUEST):
            response = await self._post("/events", events[start : start + EVENTS_PER_REQUEST])
            if response.status_code != httpx.codes.OK:
                raise UnreachableError(f"{response.status_code} {response.text[:200]}")
            body = response.json()
            items = body if isinstance(body, list) else body["items"]
            answers += [Answer(int(item.get("status", httpx.codes.OK)), item) for item in items]
        return answers

    async def send_live_list(self, report: Mapping[str, Any]) -> Answer:
        """Report which calls this switch has now."""
        response = await self._post("/live", report)
        return Answer(response.status_code, response.json())

    async def _post(self, path: str, body: object) -> httpx.Response:
        try:
            response = await self._http.post(self._path + path, json=body, headers=self._headers)
        except httpx.HTTPError as error:
            raise UnreachableError(repr(error)) from error
        if response.status_code in (502, 503, 504):
            raise UnreachableError(f"{response.status_code} {response.text[:200]}")
        return response


async def until_answered(
    client: PoolClient, event: Mapping[str, Any], *, tries: int = 8
) -> Answer | None:
    """Send `event` until the outcome is known; None when it never was.

    Safe because an event with a call id is answered alike however often it arrives.
    """
    for attempt in range(tries):
        try:
            return await client.send(event)
        except UnreachableError:
            await asyncio.sleep(min(0.2 * 2**attempt, 5.0))
    return None
