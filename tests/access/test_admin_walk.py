"""Every page of the admin, as every kind of person and program."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.db.models import Model
from django.http import HttpResponse
from django.test import Client
from django.urls import get_resolver, reverse

from poolsite.access.rights.cache import CACHE
from tests.access import admin_rules as rules
from tests.access.admin_rows import LOOKS_SECRET, MARK, NOT_SECRET, SECRETS, make_rows
from tests.access.world import World
from tests.support.matrix import observe

pytestmark = [pytest.mark.prove, pytest.mark.background]

admin.autodiscover()  # as poolsite.urls does

AREA = "admin"
Rows = dict[type[Model], Model]
# Suffixes of a model's URLs. Any other suffix fails until it is added here.
SUFFIXES = {"", "add/", "<path:object_id>/history/", "<path:object_id>/delete/"}
SUFFIXES |= {"<path:object_id>/change/", "<path:object_id>/"}
SITE = {
    "": "/admin/",
    "login/": "",  # these three lead to our own pages: url_rules.py
    "logout/": "",
    "password_change/": "",
    "password_change/done/": "",
    "search/": "/admin/search/?s=pool&extended=1",
    "autocomplete/": "/admin/autocomplete/?app_label=numbers&model_name=number&field_name=pool",
    "jsi18n/": "/admin/jsi18n/",
    "r/<path:content_type_id>/<path:object_id>/": "/admin/r/1/1/",
    "(?P<url>.*)$": "/admin/nothing/",
}


@pytest.fixture(scope="module")
def rows(world_of_file: World) -> Rows:
    CACHE.drop("", "")
    return make_rows(world_of_file)


@pytest.fixture(scope="module")
def clients(world_of_file: World, rows: Rows) -> dict[str, Client]:
    return rules.clients(world_of_file)


@pytest.fixture
def _world(db: None, rows: Rows) -> None:
    """Roll back what a test writes. The rows of the file stay."""


def asked(
    clients: dict[str, Client], people: Any, url: str, wanted: str, form: Any = None
) -> list[str]:
    """Request a URL as each person and count the answers. Return the wrong ones as sentences.

    wanted: the correct answers, separated by spaces. form: data to post; None sends a GET.
    """
    wrong = []
    for who in people:
        client = clients[who]
        response = client.post(url, form) if form else client.get(url)
        got = rules.word_of(response)
        told = shown(response)
        observe(AREA, who, got, expected=got in wanted.split() and not told)
        wrong += [f"{url} shows {secret} to {who}" for secret in told]
        if got not in wanted.split():
            wrong.append(f"{url} as {who}: {got} ({response.status_code}), not {wanted}")
    return wrong


def shown(response: HttpResponse) -> set[str]:
    """Return the secrets that an answer discloses."""
    return set(re.findall(rf"{MARK}-[0-9]+", response.content.decode()))


def address(model: type[Model], page: str, *args: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


def pages(rows: Rows) -> Iterator[tuple[str, str, bool]]:
    """Yield each page: its URL, the right it needs ("" = viewing), whether all staff try it."""
    for model in admin.site._registry:
        pk = rows[model].pk
        yield address(model, "changelist"), "", True
        yield address(model, "change", pk), "", True
        yield address(model, "changelist") + "?q=zz", "", False
        yield address(model, "history", pk), "", False
        yield address(model, "add"), "add", False
        yield address(model, "delete", pk), "delete", False


def test_every_model_has_a_row_and_every_address_is_walked() -> None:
    assert {model._meta.label for model in admin.site._registry} == set(rules.RIGHTS)
    models = {f"{m._meta.app_label}/{m._meta.model_name}/" for m in admin.site._registry}
    for pattern in _patterns():
        model = "/".join(pattern.split("/")[:2]) + "/"
        if model in models:
            assert pattern.removeprefix(model) in SUFFIXES, pattern
        else:
            assert pattern in SITE or pattern.startswith("^(?P<app_label>"), pattern


def _patterns() -> Iterator[str]:
    def walk(patterns: Any, prefix: str) -> Iterator[str]:
        for each in patterns:
            full = prefix + str(each.pattern)
            if hasattr(each, "url_patterns"):
                yield from walk(each.url_patterns, full)
            elif full.startswith("admin/"):
                yield full.removeprefix("admin/")

    return walk(get_resolver().url_patterns, "")


@pytest.mark.usefixtures("_world")
def test_people_outside_are_led_to_the_log_in_from_every_page(
    rows: Rows, clients: dict[str, Client]
) -> None:
    urls = [url for url, _, _ in pages(rows)] + [url for url in SITE.values() if url]
    wrong = [line for url in urls for line in asked(clients, rules.OUTSIDERS, url, "login")]
    assert not wrong


@pytest.mark.usefixtures("_world")
def test_staff_look_at_everything_and_open_only_the_forms_that_they_may_send(
    rows: Rows, clients: dict[str, Client]
) -> None:
    wrong = []
    for url, right, everybody in pages(rows):
        label = url.split("/")[2:4]
        wanted = {True: "ok", False: "no"}
        may = not right or getattr(_right(label), right)
        lookers = rules.LOOKERS if everybody else rules.LOOKERS[:1]
        changers = rules.CHANGERS if everybody else rules.CHANGERS[:1]
        # A superuser without a grant may do what every operator may: Django's own rights don't
        # count.
        wrong += asked(clients, lookers, url, wanted[not right])
        wrong += asked(clients, changers, url, wanted[may])
    assert not wrong


def _right(label: list[str]) -> rules.Right:
    [found] = [right for name, right in rules.RIGHTS.items() if name.lower() == ".".join(label)]
    return found


def test_each_column_whose_name_looks_like_a_secret_is_judged() -> None:
    names = {
        (model._meta.label, field.name)
        for model in apps.get_models()
        for field in model._meta.concrete_fields
        if not field.is_relation and any(part in field.name for part in LOOKS_SECRET)
    }
    assert names - SECRETS == NOT_SECRET
    assert {model for model, _ in SECRETS} <= {model._meta.label for model in apps.get_models()}


def ways(model: type[Model], far: int = 2) -> Iterator[str]:
    """Yield each look-up path from a model to a secret over at most `far` relations."""
    for field in model._meta.get_fields():
        if (model._meta.label, field.name) in SECRETS:
            yield field.name
        elif far and field.is_relation and field.related_model not in (None, model):
            yield from (f"{field.name}__{rest}" for rest in ways(field.related_model, far - 1))


@pytest.mark.usefixtures("_world")
def test_no_list_can_be_filtered_ordered_or_opened_by_a_secret(
    rows: Rows, clients: dict[str, Client]
) -> None:
    tried, wrong = 0, []
    for model in admin.site._registry:
        url = address(model, "changelist")
        for way in sorted(set(ways(model))):
            tried += 1
            for query in (f"{way}__startswith={MARK}", f"_to_field={way}"):
                wrong += asked(clients, ("looker",), f"{url}?{query}", "invalid")
    assert tried > 100
    assert not wrong


@pytest.mark.usefixtures("_world")
def test_the_filters_beside_the_lists_work(rows: Rows, clients: dict[str, Client]) -> None:
    names = {
        address(model, "changelist"): [each for each in its.list_filter if isinstance(each, str)]
        for model, its in admin.site._registry.items()
    }
    wrong = []
    for url, filters in names.items():
        for name in filters:
            wrong += asked(clients, ("looker",), f"{url}?{name}__exact=1", "ok")
    assert sum(map(len, names.values())) > 20
    assert not wrong
