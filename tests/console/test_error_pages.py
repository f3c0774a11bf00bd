"""Pages 403 and 404 keep the navigation for logged-in users, and never fail themselves."""

from typing import Any

import pytest
from django.test import Client

from poolsite.console import error_pages, navigation
from tests.access.world import World, make_world


@pytest.fixture
def world(db: None) -> World:
    return make_world().with_everybody()


def test_who_is_logged_in_keeps_the_navigation(world: World) -> None:
    for path, status in (("/nowhere/", 404), ("/system/", 403)):
        answer = world.client("owner").get(path)
        page = answer.content.decode()
        assert answer.status_code == status
        assert 'id="sidebar"' in page
        assert page.count("data-search-open") >= 2
        assert 'href="/"' in page


def test_a_foreign_thing_and_a_missing_one_look_alike(world: World) -> None:
    client = world.client("owner")
    foreign, missing = (client.get(f"/accounts/{slug}/people/") for slug in ("other", "nowhere"))
    assert foreign.status_code == missing.status_code == 404
    assert _main(foreign) == _main(missing)


def _main(answer: Any) -> str:
    return str(answer.content.decode().partition("<main")[2].partition("</main>")[0])


def test_nobody_sees_the_bare_pages(world: World) -> None:
    page = Client().get("/nowhere/").content.decode()
    assert "Page not found" in page
    assert "sidebar" not in page


@pytest.mark.parametrize(("path", "status"), [("/nowhere/", 404), ("/system/", 403)])
def test_a_navigation_that_fails_leaves_the_bare_page(
    world: World, monkeypatch: pytest.MonkeyPatch, path: str, status: int
) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise RuntimeError("no navigation today")

    client = world.client("owner")
    monkeypatch.setattr(navigation, "sections", fail)
    monkeypatch.setattr(error_pages.logger, "exception", lambda *_: None)
    answer = client.get(path)
    assert answer.status_code == status
    assert 'class="bare"' in answer.content.decode()


def test_a_program_gets_a_problem(world: World) -> None:
    answer = world.client("owner").get("/api/v1/nowhere")
    assert answer.status_code == 404
    assert answer["Content-Type"] == "application/problem+json"
