"""The texts of the pages' scripts: one script per language, cached until a text changes."""

import asyncio

import httpx
from django.template import Context, Template
from django.utils import translation
from starlette.applications import Starlette

from poolsite.api import lane


def ask(path: str, encoding: str = "") -> httpx.Response:
    async def go() -> httpx.Response:
        transport = httpx.ASGITransport(Starlette(routes=lane.routes()))
        async with httpx.AsyncClient(transport=transport, base_url="http://t") as client:
            return await client.get(path, headers={"Accept-Encoding": encoding})

    return asyncio.run(go())


def address(language: str) -> str:
    with translation.override(language):
        return Template("{% load console %}{% strings_address %}").render(Context())


def test_each_language_has_its_own_script_that_may_be_kept_for_ever():
    english, chinese = ask(address("en")), ask(address("zh-hans"))
    for answer in (english, chinese):
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/javascript")
        assert "immutable" in answer.headers["cache-control"]
    assert "django.gettext" in english.text
    said = r"\u8bbf\u5ba2"  # 访客, visitor, as JSON writes it
    assert said in chinese.text
    assert said not in english.text


def test_a_page_of_the_release_before_gets_the_words_of_now_and_keeps_them_not():
    answer = ask("/strings/zh-hans.js?v=000000000000")
    assert answer.text == ask(address("zh-hans")).text
    assert answer.headers["cache-control"] == "public, no-cache"


def test_it_is_compressed_for_who_can_read_it():
    small = ask(address("zh-hans"), "gzip, br")
    assert small.headers["content-encoding"] == "gzip"
    assert small.text == ask(address("zh-hans")).text


def test_a_language_that_the_console_does_not_speak_is_not_found():
    assert ask("/strings/xx.js").status_code == 404
