"""The common part of all clients: opens and closes the connections."""

from types import TracebackType
from typing import Self, TypedDict, Unpack

import httpx

from .transport import TIMEOUT_SECONDS, Asyncio, Blocking


class Options(TypedDict, total=False):
    """timeout_seconds: how long to wait for an answer. transport: your own httpx transport."""

    timeout_seconds: float
    transport: httpx.BaseTransport | None


class AsyncOptions(TypedDict, total=False):
    """Like `Options`, for asyncio."""

    timeout_seconds: float
    transport: httpx.AsyncBaseTransport | None


class Client:
    """A client with blocking calls, which several threads can share.

    Use it in a `with`, or close it.
    """

    def __init__(self, url: str, token: str, **options: Unpack[Options]) -> None:
        self._runner = Blocking(
            url,
            token,
            timeout_seconds=options.get("timeout_seconds", TIMEOUT_SECONDS),
            transport=options.get("transport"),
        )

    def close(self) -> None:
        """Close the connections."""
        self._runner.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self.close()


class AsyncClient:
    """A client for asyncio, for one event loop. Use it in an `async with`, or close it."""

    def __init__(self, url: str, token: str, **options: Unpack[AsyncOptions]) -> None:
        self._runner = Asyncio(
            url,
            token,
            timeout_seconds=options.get("timeout_seconds", TIMEOUT_SECONDS),
            transport=options.get("transport"),
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._runner.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        await self.close()
