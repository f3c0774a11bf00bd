"""Every URL of the resolver, as every kind of reader and as another tenant.

test_admin_walk.py covers the admin's own pages.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import get_resolver

from poolsite.access.rights.cache import CACHE
from poolsite.runtime.redis_server import RedisServer
from tests.access.answers import assert_answers
from tests.access.url_rules import RULES, Rule
from tests.access.world import World

pytestmark = [pytest.mark.prove, pytest.mark.background]


@pytest.fixture
def world(db: None, clean_redis: RedisServer, world_of_file: World) -> World:
    """One world for all tests. Nothing about its readers is cached from test to test."""
    CACHE.drop("", "")
    return world_of_file


def every_pattern(patterns: Any = None, prefix: str = "") -> Iterator[str]:
    """Yield each URL pattern of the resolver, in its own notation."""
    for each in get_resolver().url_patterns if patterns is None else patterns:
        full = prefix + str(each.pattern)
        if hasattr(each, "url_patterns"):
            yield from every_pattern(each.url_patterns, full)
        else:
            yield full


def test_every_url_has_a_rule_and_every_rule_a_url() -> None:
    known = set(every_pattern())
    ours = {each for each in known if not each.startswith("admin/")}
    doors = {each for each in RULES if each.startswith("admin/")}
    assert ours | doors == set(RULES)


@pytest.mark.parametrize("pattern", sorted(RULES))
def test_each_reader_gets_the_declared_answer(pattern: str, world: World) -> None:
    rule = RULES[pattern]
    url = rule.url(world) if callable(rule.url) else rule.url or f"/{pattern}"
    assert "<" not in url, f"give the rule of {pattern} an address"
    assert_answers(world, url, rule.answers, method=rule.method, data=rule.data)


@pytest.mark.parametrize("pattern", sorted(name for name in RULES if RULES[name].method == "post"))
def test_what_changes_something_is_refused_by_get_and_without_the_csrf_token(
    pattern: str, world: World
) -> None:
    rule = RULES[pattern]
    url = rule.url(world) if callable(rule.url) else rule.url or f"/{pattern}"
    client = Client(enforce_csrf_checks=True)
    client.force_login(world.users["operate"])
    assert client.get(url).status_code == 405
    # The API asks for a credential where a page answers "forbidden".
    assert client.post(url).status_code == (401 if pattern.startswith("api/") else 403)


def test_a_url_without_a_rule_would_fail(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(RULES, "history/")
    with pytest.raises(AssertionError):
        test_every_url_has_a_rule_and_every_rule_a_url()


def test_a_page_that_opens_for_too_many_would_fail(world: World) -> None:
    rule = Rule({"*": "login"})
    with pytest.raises(AssertionError, match="agent"):
        assert_answers(world, "/profile/", rule.answers, counted=False)
