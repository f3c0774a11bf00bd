"""Collected files: named by their content, cached without expiry, compressed, and complete."""

import asyncio
import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.management import call_command
from django.templatetags.static import static
from django.test import override_settings
from django.utils.functional import empty

from poolsite.api.static import static_files
from poolsite.api.static_names import SHEETS, sheet_addresses

OF_OURS = ("css/", "js/", "live", "tokens", "theme", "favicon")
HASHED = re.compile(r"\.[0-9a-f]{12}\.\w+$")
NAMED = re.compile(r"""(?:from\s+|import\s*\(?\s*)"(\.[^"]+)"|url\(['"]?([^'")]+)""")


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the result of `collectstatic`, as STATIC_ROOT."""
    root = tmp_path_factory.mktemp("static")
    with override_settings(STATIC_ROOT=str(root), DEBUG=False):
        staticfiles_storage._wrapped = empty
        call_command("collectstatic", interactive=False, verbosity=0)
        staticfiles_storage._wrapped = empty  # reads the manifest, as the next process would
        yield root
    staticfiles_storage._wrapped = empty


async def nothing_else(scope: object, receive: object, send: object) -> None:
    raise AssertionError("handed on to Django")


def ask(path: str, method: str = "GET", app: Any = None, **headers: str) -> httpx.Response:
    async def go() -> httpx.Response:
        transport = httpx.ASGITransport(app or static_files(nothing_else))
        async with httpx.AsyncClient(transport=transport, base_url="http://t") as client:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            return await client.request(method, path, headers={"Accept-Encoding": "", **named})

    return asyncio.run(go())


def test_a_name_says_what_the_file_says_and_may_be_kept_for_ever(collected):
    address = static("js/shared/dom.js")
    assert HASHED.search(address)
    answer = ask(address)
    assert answer.status_code == 200
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_plain_name_is_asked_for_again_each_time(collected):
    first = ask("/static/js/shared/dom.js")
    assert first.headers["cache-control"] == "max-age=0, public"
    again = ask("/static/js/shared/dom.js", If_None_Match=first.headers["etag"])
    assert again.status_code == 304
    assert again.content == b""


def test_texts_are_sent_compressed_to_who_can_read_it(collected):
    plain = ask(static("css/components.css"))
    small = ask(static("css/components.css"), Accept_Encoding="gzip")
    assert small.headers["content-encoding"] == "gzip"
    assert "Accept-Encoding" in plain.headers["vary"]
    assert small.content == plain.content  # httpx unpacks
    assert int(small.headers["content-length"]) < len(plain.content) / 2
    path = collected / static("css/components.css").removeprefix("/static/")
    assert gzip.decompress(Path(f"{path}.gz").read_bytes()) == plain.content


def test_the_sheets_of_every_page_are_collected_as_one_in_their_order(collected):
    (address,) = sheet_addresses()
    assert HASHED.search(address)
    joined = ask(address).text
    firsts = [joined.index(ask(static(name)).text.splitlines()[0]) for name in SHEETS]
    assert firsts == sorted(firsts)
    assert "url(" in joined  # the fonts' hashed URLs; another test proves that they exist


def test_uncollected_sheets_are_asked_for_one_by_one(monkeypatch):
    monkeypatch.setattr(staticfiles_storage, "hashed_files", {})
    assert sheet_addresses() == tuple(f"/static/{name}" for name in SHEETS)


def test_a_head_has_the_length_and_no_body_and_a_range_its_part(collected):
    whole = ask("/static/theme.js")
    head = ask("/static/theme.js", "HEAD")
    assert (head.content, head.headers["content-length"]) == (b"", str(len(whole.content)))
    part = ask("/static/theme.js", Range="bytes=10-19")
    assert (part.status_code, part.content) == (206, whole.content[10:20])
    assert ask("/static/theme.js", "POST").status_code == 405


@pytest.mark.parametrize(
    "path", ["none.css", "", "js", "js/", "%00", "..%2f..%2fmanage.py", "js/..%2ftheme.js"]
)
def test_what_is_no_file_of_ours_is_not_found(collected, path):
    assert ask(f"/static/{path}").status_code == 404


def test_a_file_of_the_next_release_is_found_by_a_process_of_this_one(collected):
    app = static_files(nothing_else)
    name = "js/later.0123456789ab.js"
    assert ask(f"/static/{name}", app=app).status_code == 404
    (collected / name).write_text("export const later = 1;")
    answer = ask(f"/static/{name}", app=app)
    (collected / name).unlink()
    assert (answer.status_code, answer.text) == (200, "export const later = 1;")
    assert "immutable" in answer.headers["cache-control"]


def test_every_file_that_a_sheet_or_a_module_names_is_there_by_its_hashed_name(collected):
    ours = [
        path
        for path in collected.rglob("*")
        if path.suffix in {".js", ".css"}
        and HASHED.search(path.name)
        and str(path.relative_to(collected)).startswith(OF_OURS)
    ]
    assert len(ours) > 80
    named = 0
    for path in ours:
        for module, sheet in NAMED.findall(path.read_text()):
            name = module or sheet
            at_root = name.startswith(settings.STATIC_URL)
            target = collected / name.removeprefix(settings.STATIC_URL)
            target = target if at_root else (path.parent / name).resolve()
            if not name.startswith(("data:", "#")):
                named += 1
                assert target.is_file(), f"{path.name} names {target}"
                assert HASHED.search(target.name), f"{path.name} names {target}"
    assert named > 100
