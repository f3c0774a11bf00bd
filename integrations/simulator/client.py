"""A pool's public HTTP interface, as a switch uses it."""

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from integrations.simulator.retrying import Reach, pause_seconds, spread

EVENTS_PER_REQUEST = 500
TRIES = 8
LONGEST_WAIT_SECONDS = 5.0
LONGEST_NAMED_SECONDS = 60.0  # a pause that the server names is respected up to this

# The outcome is unknown, or nothing was done: a retry is safe and useful.
_ASK_AGAIN = frozenset({429, 500, 502, 503, 504})


class UnreachableError(Exception):
    """There was no answer, or one that leaves the outcome open. Try again.

    retry_after: the seconds before which the server wants no more requests; 0 if it named none.
    """

    def __init__(self, text: str, retry_after: float = 0.0) -> None:
        super().__init__(text)
        self.retry_after = retry_after


@dataclass(frozen=True)
class PoolResponse:
    """The answer to one event: the HTTP status and the body as the server sent it."""

    status: int
    body: Mapping[str, Any]

    @property
    def ok(self) -> bool:
        return self.status == httpx.codes.OK and self.body.get("outcome") == "ok"

    @property
    def reason(self) -> str:
        return str(self.body.get("reason") or self.body.get("type") or self.status)

    @property
    def as_of_us(self) -> int:
        """The server's time when it answered, or 0 if the answer has none."""
        told = self.body.get("as_of")
        return told if isinstance(told, int) else 0


class PoolClient:
    """Sends events for one switch. Every call may raise UnreachableError.

    `as_of_us` is the latest server time in any answer. A live list that is taken now contains it,
    so the server learns which decisions this switch can know of.
    """

    def __init__(self, *, http: httpx.AsyncClient, slug: str, token: str) -> None:
        self._http = http
        self._path = f"/api/v1/pools/{slug}"
        self._headers = {"Authorization": f"Bearer {token}"}
        self.as_of_us = 0
        self.reach = Reach()

    async def send(self, event: Mapping[str, Any]) -> PoolResponse:
        """Send one event."""
        return self._note(_answer(await self._post("/events", event)))

    async def send_batch(self, events: Sequence[Mapping[str, Any]]) -> list[PoolResponse]:
        """Send up to EVENTS_PER_REQUEST events in one request. Return one answer for each."""
        if not events:
            return []
        response = await self._post("/events", list(events))
        body = _json(response)
        if response.status_code != httpx.codes.OK or not isinstance(body, list):
            raise UnreachableError(f"{response.status_code} {response.text[:200]}")
        return [self._note(answer) for answer in _items(body)]

    async def send_live_list(self, report: Mapping[str, Any]) -> PoolResponse:
        """Report the switch's current calls."""
        return self._note(_answer(await self._post("/live", report)))

    def _note(self, answer: PoolResponse) -> PoolResponse:
        self.as_of_us = max(self.as_of_us, answer.as_of_us)
        return answer

    async def _post(self, path: str, body: object) -> httpx.Response:
        try:
            response = await self._http.post(self._path + path, json=body, headers=self._headers)
        except (httpx.HTTPError, OSError) as error:
            self.reach.failed()
            raise UnreachableError(repr(error)) from error
        if response.status_code in _ASK_AGAIN and not _is_decided(response):
            self.reach.failed()
            told = f"{response.status_code} {response.text[:200]}"
            raise UnreachableError(told, named_seconds(response))
        self.reach.answered()
        return response


def named_seconds(response: httpx.Response) -> float:
    """Return the seconds of `Retry-After`, up to a limit; 0 if it is missing or a date."""
    named = response.headers.get("Retry-After", "")
    plain = named.isascii() and named.isdecimal() and len(named) < 9
    return min(float(named), LONGEST_NAMED_SECONDS) if plain else 0.0


def _is_decided(response: httpx.Response) -> bool:
    """Whether an error status still reports the pool's decision (such as 503 "recovering")."""
    body = _json(response)
    reason = body.get("reason") if isinstance(body, dict) else None
    return reason in ("recovering", "paused")


def _answer(response: httpx.Response) -> PoolResponse:
    body = _json(response)
    return PoolResponse(response.status_code, body if isinstance(body, dict) else {})


def _items(body: Sequence[object]) -> Iterator[PoolResponse]:
    for item in body:
        known = item if isinstance(item, dict) else {}
        status = known.get("status", httpx.codes.OK)
        yield PoolResponse(status if isinstance(status, int) else 0, known)


def _json(response: httpx.Response) -> Any:
    try:
        return response.json()
    except ValueError:
        return None


async def until_answered(
    client: PoolClient, event: Mapping[str, Any], *, tries: int = TRIES
) -> PoolResponse | None:
    """Send `event` until the outcome is known. Return None if it stays unknown.

    This is safe because an event with a call ID gets the same answer however often it arrives. Each
    attempt of a call that may wait only waits for the remaining time.
    """
    began = time.monotonic()
    for attempt in range(tries):
        try:
            return await client.send(_with_time_left(event, time.monotonic() - began))
        except UnreachableError as error:
            pause = pause_seconds(attempt, LONGEST_WAIT_SECONDS)
            await asyncio.sleep(max(pause, spread(error.retry_after)))
    return None


def _with_time_left(event: Mapping[str, Any], passed_seconds: float) -> Mapping[str, Any]:
    wait_ms = event.get("wait_ms")
    if not isinstance(wait_ms, int):
        return event
    left_ms = max(0, wait_ms - round(passed_seconds * 1000))
    return {**event, "wait_ms": left_ms}
