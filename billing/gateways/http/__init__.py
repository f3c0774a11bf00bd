"""A gateway over HTTP: `PUT /accounts/{account}/messages/{id}`, idempotent by the id.

202 and 200 = taken, for the first time or again; 409, 410, 413 and 422 = this message is refused
for good; everything else (no answer, 5xx, 429, a wrong token or address) leaves it open.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Self
from urllib.parse import quote

import httpx
import orjson

from billing.gateways.interface import Answer, Handover

CONNECT_SECONDS = 3.0
READ_SECONDS = 10.0
TRIES = 3
FIRST_PAUSE_SECONDS = 0.1
ANSWER_CHARACTERS = 200
# The message itself is refused; other errors are about us, or about now.
_REFUSED = frozenset({409, 410, 413, 422})


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

    async def send(self, messages: Sequence[Handover]) -> list[tuple[Answer, str]]:
        return list(await asyncio.gather(*(self._send(message) for message in messages)))

    async def _send(self, message: Handover) -> tuple[Answer, str]:
        async with self._places:
            found = await self._try(message)
            for attempt in range(TRIES - 1):
                if found[0] is not Answer.UNKNOWN:
                    break
                await asyncio.sleep(FIRST_PAUSE_SECONDS * 2**attempt)
                found = await self._try(message)
            return found

    async def _try(self, message: Handover) -> tuple[Answer, str]:
        path = f"/accounts/{quote(message.account)}/messages/{quote(message.message_id, safe='')}"
        try:
            answer = await self._client.put(path, content=_body(message))
        except (httpx.HTTPError, OSError) as error:
            return Answer.UNKNOWN, f"{type(error).__name__}: {error}"[:ANSWER_CHARACTERS]
        if answer.is_success:
            return Answer.TAKEN, ""
        reason = f"{answer.status_code}: {_detail(answer)}"[:ANSWER_CHARACTERS]
        refused = answer.status_code in _REFUSED
        return (Answer.REFUSED if refused else Answer.UNKNOWN), reason


def _body(message: Handover) -> bytes:
    body = {
        "chatbot": message.chatbot,
        "number": message.number,
        "native": message.native,
        "fallback": message.fallback,
    }
    return orjson.dumps(body, option=orjson.OPT_SORT_KEYS)


def _detail(answer: httpx.Response) -> str:
    try:
        body: Any = answer.json()
    except ValueError:
        return answer.text
    return str(body.get("detail", "")) if isinstance(body, dict) else ""
