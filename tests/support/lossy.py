"""A transport to the application in this process that loses requests and responses on demand."""

import asyncio

import httpx

URL = "http://localhost"


class Line(httpx.AsyncBaseTransport):
    """A transport to the application in this process.

    lose: how many of the next responses are lost. cut: whether requests are lost before they
    arrive.
    """

    def __init__(self) -> None:
        from poolsite.asgi import application

        self._inner = httpx.ASGITransport(app=application)
        self.lose = 0
        self.cut = False
        self.asked: list[str] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self.cut:
            raise httpx.ConnectError("cut")
        self.asked.append(request.url.path.rpartition("/")[2])
        response = await self._inner.handle_async_request(request)
        if self.lose:
            self.lose -= 1
            raise httpx.ReadTimeout("lost")
        return response


class Blocked(httpx.BaseTransport):
    """Like `Line`, for blocking clients, which run in another thread than this event loop."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._loop = asyncio.get_running_loop()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        async def answer() -> httpx.Response:
            plain = httpx.Request(
                request.method, request.url, headers=request.headers, content=request.read()
            )
            response = await self._line.handle_async_request(plain)
            await response.aread()
            return httpx.Response(response.status_code, content=response.content)

        return asyncio.run_coroutine_threadsafe(answer(), self._loop).result()
