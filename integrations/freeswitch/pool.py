"""The part of the pool's HTTP interface that this daemon uses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx

EVENTS_PER_REQUEST = 500
TIMEOUT_SECONDS = 10.0
# Nothing was done, or the outcome is unknown: try again. All our requests can be repeated safely.
ASK_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})

LONGEST_NAMED_SECONDS = 60.0  # a pause that the server names is respected up to this


def named_seconds(retry_after: str) -> float:
    """Return the seconds of a `Retry-After` header, up to a limit; 0 if it is empty or a date."""
    plain = retry_after.isascii() and retry_after.isdecimal() and len(retry_after) < 9
    return min(float(retry_after), LONGEST_NAMED_SECONDS) if plain else 0.0


class Unreachable(Exception):  # noqa: N818  expected; we try again
    """There was no answer, or one that leaves the outcome open.

    retry_after: the seconds before which the platform wants no more requests; 0 if it named none.
    """

    def __init__(self, text: str, retry_after: float = 0.0) -> None:
        super().__init__(text)
        self.retry_after = retry_after


class Rejected(Exception):  # noqa: N818
    """The platform refuses the request as a whole, for example because of the token."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"{status} {text}".strip())
        self.status = status

    @property
    def about_us(self) -> bool:
        """Whether the cause is the token or the pool, not the data that was sent."""
        return self.status in (401, 403, 404)


@dataclass(frozen=True, slots=True)
class EventResult:
    """The outcome of one event."""

    status: int
    reason: str

    @property
    def is_open(self) -> bool:
        """Whether the event must be sent again."""
        return self.status in ASK_AGAIN


class Pool:
    """Sends events and live lists. `as_of_us` is the newest server time in any answer."""

    def __init__(self, http: httpx.AsyncClient, *, slug: str, token: str) -> None:
        self._http = http
        self._path = f"/api/v1/pools/{slug}"
        self._headers = {"Authorization": f"Bearer {token}"}
        self.as_of_us = 0

    async def send(self, events: Sequence[Mapping[str, Any]]) -> list[EventResult]:
        """Send events and return one answer for each, in order. Raise Unreachable or Rejected."""
        body = await self._post("/events", list(events))
        if not isinstance(body, list) or len(body) != len(events):
            raise Unreachable("an answer that does not fit the question")
        return [self._answer(item) for item in body]

    async def send_live_list(self, report: Mapping[str, Any]) -> Mapping[str, Any]:
        """Send the list of current calls and return the pool's answer.

        Raise Unreachable or Rejected.
        """
        body = await self._post("/live", dict(report))
        if not isinstance(body, dict):
            raise Unreachable("an answer that does not fit the question")
        self._note(body)
        return body

    def _answer(self, item: object) -> EventResult:
        told = item if isinstance(item, dict) else {}
        self._note(told)
        status = told.get("status")
        reason = told.get("reason") or told.get("type") or told.get("detail") or ""
        return EventResult(status if isinstance(status, int) else 500, str(reason))

    def _note(self, told: Mapping[str, Any]) -> None:
        as_of = told.get("as_of")
        if isinstance(as_of, int):
            self.as_of_us = as_of  # the newest, not the largest: that clock may be set back

    async def _post(self, path: str, body: object) -> Any:
        try:
            response = await self._http.post(self._path + path, json=body, headers=self._headers)
        except (httpx.HTTPError, OSError) as error:
            raise Unreachable(f"{type(error).__name__} {error}".strip()) from None
        if response.status_code in ASK_AGAIN:
            told = f"{response.status_code} {response.text[:200]}"
            raise Unreachable(told, named_seconds(response.headers.get("Retry-After", "")))
        try:
            read = response.json()
        except ValueError:
            read = None
        if response.status_code != httpx.codes.OK:
            if isinstance(read, dict):
                self._note(read)
            raise Rejected(response.status_code, response.text[:200])
        return read
