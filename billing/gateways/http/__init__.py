"""A gateway over HTTP: `POST /accounts/{account}/messages`, 32 messages each, idempotent by ID.

The response has a status for each message. 202 and 200: accepted, for the first time or again. 410,
413 and 422: refused for good. 409: the gateway already has a message with this ID. It was passed to
it before, so it counts as accepted. Everything else (no response, 5xx, 429, a wrong token or
address) leaves the result unknown.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Self
from urllib.parse import quote

import httpx
import orjson

from billing.gateways.interface import Handover, SubmitResult

CONNECT_SECONDS = 3.0
READ_SECONDS = 10.0
TRIES = 3
FIRST_PAUSE_SECONDS = 0.1
ANSWER_CHARACTERS = 200
TOGETHER = 32
_TAKEN = frozenset({200, 202, 409})
_REFUSED = frozenset({410, 413, 422})  # about the message; other errors are ours or temporary


class Gateway:
    """A connection pool to one gateway; see `billing.gateways.Gateway`."""

    def __init__(self, url: str, token: str, concurrency: int) -> None:
        self._places = asyncio.Semaphore(concurrency)
        self._client = httpx.AsyncClient(
            base_url=url.rstrip("/"),
            headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
            timeout=httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS),
            limits=httpx.Limits(max_connections=concurrency, keepalive_expiry=30.0),
            follow_redirects=False,
            trust_env=False,
        )

    async def __aenter__(self) -> Self:
        await self._client.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._client.aclose()

    async def send(self, messages: Sequence[Handover]) -> list[tuple[SubmitResult, str]]:
        """See `billing.gateways.Gateway`. The messages of an account share requests."""
        found: dict[int, tuple[SubmitResult, str]] = {}
        by_account: dict[str, list[int]] = {}
        for place, message in enumerate(messages):
            by_account.setdefault(message.account, []).append(place)
        parts = [
            places[start : start + TOGETHER]
            for places in by_account.values()
            for start in range(0, len(places), TOGETHER)
        ]
        answers = await asyncio.gather(
            *(self._send([messages[place] for place in part]) for part in parts)
        )
        for part, its in zip(parts, answers, strict=True):
            found.update(zip(part, its, strict=True))
        return [found[place] for place in range(len(messages))]

    async def _send(self, part: Sequence[Handover]) -> list[tuple[SubmitResult, str]]:
        """Send some messages. Only those with an unknown result are retried."""
        async with self._places:
            found = await self._try(part)
            for attempt in range(TRIES - 1):
                open_ones = [
                    n for n, (answer, _) in enumerate(found) if answer is SubmitResult.UNKNOWN
                ]
                if not open_ones:
                    break
                await asyncio.sleep(FIRST_PAUSE_SECONDS * 2**attempt)
                again = await self._try([part[n] for n in open_ones])
                for place, answer in zip(open_ones, again, strict=True):
                    found[place] = answer
            return found

    async def _try(self, part: Sequence[Handover]) -> list[tuple[SubmitResult, str]]:
        path = f"/accounts/{quote(part[0].account)}/messages"
        try:
            answer = await self._client.post(path, content=orjson.dumps([*map(_body, part)]))
        except (httpx.HTTPError, OSError) as error:
            reason = f"{type(error).__name__}: {error}"[:ANSWER_CHARACTERS]
            return [(SubmitResult.UNKNOWN, reason)] * len(part)
        items = _items(answer, len(part))
        if items is None:
            reason = f"{answer.status_code}: {answer.text}"[:ANSWER_CHARACTERS]
            return [(SubmitResult.UNKNOWN, reason)] * len(part)
        return [_judge(item) for item in items]


def _body(message: Handover) -> dict[str, Any]:
    return {
        "message_id": message.message_id,
        "chatbot": message.chatbot,
        "number": message.number,
        "native": message.native,
        "fallback": message.fallback,
    }


def _items(answer: httpx.Response, count: int) -> list[Any] | None:
    """Return the result of each message, or None if the response has no such list."""
    try:
        body = answer.json() if answer.is_success else None
    except ValueError:
        return None
    return body if isinstance(body, list) and len(body) == count else None


def _judge(item: Any) -> tuple[SubmitResult, str]:
    status = item.get("status") if isinstance(item, dict) else None
    if status in _TAKEN:
        return SubmitResult.TAKEN, ""
    reason = f"{status}: {item.get('detail', '')}" if isinstance(item, dict) else str(item)
    kind = SubmitResult.REFUSED if status in _REFUSED else SubmitResult.UNKNOWN
    return kind, reason[:ANSWER_CHARACTERS]
