"""No request makes the server store more of a body than its limit allows."""

from collections.abc import AsyncIterator

import httpx
import pytest
from django.core.asgi import get_asgi_application

from poolsite.api.bodies import FORM_LIMIT_BYTES, bounded_bodies

pytestmark = pytest.mark.django_db(transaction=True)
CHUNK = bytes(64 * 1024)
FORM = {"Content-Type": "multipart/form-data; boundary=x"}
PROBLEM = "application/problem+json"


class Endless:
    """A body without an end. It counts what was read."""

    read = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while self.read < 10 * FORM_LIMIT_BYTES:
            self.read += len(CHUNK)
            yield CHUNK


def client() -> httpx.AsyncClient:
    transport = httpx.ASGITransport(bounded_bodies(get_asgi_application()))
    return httpx.AsyncClient(
        transport=transport, base_url="http://localhost", headers={"Accept": "text/html"}
    )


@pytest.mark.parametrize(
    ("path", "headers", "limit"),
    [
        ("/login/", {}, 2 * 1024 * 1024),
        ("/login/", FORM, FORM_LIMIT_BYTES),
        ("/api/v1/pools", {}, 2 * 1024 * 1024),
    ],
)
async def test_a_body_without_an_end_is_refused_and_not_read_to_it(
    path: str, headers: dict[str, str], limit: int
) -> None:
    body = Endless()
    async with client() as http:
        answer = await http.post(path, content=body, headers=headers)
    assert answer.status_code == 413
    assert answer.headers["connection"] == "close"
    assert body.read <= limit + FORM_LIMIT_BYTES + 2 * len(CHUNK)
    assert answer.headers["content-type"].startswith(PROBLEM if "api" in path else "text/html")


async def test_a_body_that_nginx_lets_through_is_read_before_the_refusal() -> None:
    """nginx, which is still sending it, would make a 502 of a connection that closes."""
    sent: list[bytes] = []

    async def body() -> AsyncIterator[bytes]:
        for _ in range(64):
            sent.append(CHUNK)
            yield CHUNK

    async with client() as http:
        for headers in ({}, {"Content-Length": str(64 * len(CHUNK))}):
            sent.clear()
            answer = await http.post("/login/", content=body(), headers=headers)
            assert (answer.status_code, len(sent)) == (413, 64)


async def test_a_length_that_nginx_refuses_is_refused_before_the_first_byte() -> None:
    body = Endless()
    async with client() as http:
        answer = await http.post("/login/", content=body, headers={"Content-Length": "3000000000"})
        assert answer.status_code == 413
        assert body.read == 0
        nonsense = await http.post("/login/", content=body, headers={"Content-Length": "-1"})
    assert nonsense.status_code == 413


async def test_the_page_is_in_the_readers_language() -> None:
    async with client() as http:
        answer = await http.post(
            "/login/",
            content=Endless(),
            headers={**FORM, "Content-Length": "99999999999", "Accept-Language": "zh-hans"},
        )
    assert '<html lang="zh-hans">' in answer.text
    assert "32 MB" in answer.text


async def test_the_page_names_the_limit_of_the_body_that_was_sent() -> None:
    async with client() as http:
        answer = await http.post("/login/", content=Endless())
    assert "The form is too large" in answer.text
    assert "up to 2 MB" in answer.text


async def test_a_body_within_the_limit_reaches_django_whole() -> None:
    async with client() as http:
        answer = await http.post("/login/", content=b"x" * 2_000_000)
    assert answer.status_code == 403  # no CSRF token: Django has read the body and refused it
