"""The pages, the API and the command line have the same verbs."""

import argparse
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import load_command_class
from django.urls import get_resolver

from poolsite.api.reference_access import HOT, ROOT
from poolsite.api.root import api
from tests.house.faces import DESK, GATE, GROUP, JOB, NO_VERBS, POOL, PROFILE, RECIPIENT, VIEW, Verb

# The URL namespace, the command's app and name (if it has one), the first word of the API's paths.
KINDS = {
    "pool": ("numbers", "numbers", "pool", "pools", POOL),
    "gate": ("admission", "queueing.admission", "gate", "gates", GATE),
    "group": ("dispatch", "queueing.dispatch", "dispatch", "groups", GROUP),
    "desk": ("line", "queueing.line", "line", "desks", DESK),
    "job": ("jobs", "", "", "jobs", JOB),
    "recipient": ("admin", "", "", "alert-recipients", RECIPIENT),
    "profile": ("access", "", "", "profile", PROFILE),
    "view": ("operations", "", "", "saved-views", VIEW),
}
# A shell can't prove that a second person approves.
NO_COMMAND = {"approve_adjustment", "approve_credit_note"}


def writes(first: str) -> dict[str, str]:
    """Return the API's writes below a first word, each with its ID, except the hot lane's."""
    found = {}
    for path, methods in api.get_openapi_schema()["paths"].items():
        short = path.removeprefix(ROOT)
        for method, operation in methods.items():
            if short.partition("/")[0] == first and method != "get" and short not in HOT:
                found[f"{method.upper()} {short}"] = operation["operationId"]
    return found


def commands(app: str, name: str) -> set[str]:
    """Return the verbs of a command; `number add` for a subcommand of another."""
    return set(_verbs(load_command_class(app, name).create_parser("manage.py", name)))


def _verbs(parser: argparse.ArgumentParser, before: str = "") -> Iterator[str]:
    inner = [each for each in parser._actions if isinstance(each, argparse._SubParsersAction)]
    if not inner:
        yield before.strip()
    for action in inner:
        for name, each in action.choices.items():
            yield from _verbs(each, f"{before} {name}")


def pages(namespace: str) -> set[str]:
    """Return the names of an app's URLs."""
    _prefix, resolver = get_resolver().namespace_dict[namespace]
    return {str(name) for name in resolver.reverse_dict if isinstance(name, str)}


def faces_of(verbs: list[Verb], part: str) -> set[str]:
    return {value for each in verbs if (value := getattr(each, part)) != "-"}


@pytest.mark.parametrize("kind", KINDS)
def test_each_verb_is_on_every_face_or_says_why_not(kind: str) -> None:
    namespace, app, command, first, verbs = KINDS[kind]
    assert faces_of(verbs, "page") - pages(namespace) == set()
    assert faces_of(verbs, "operation") == set(writes(first))
    shown = {part for group in NO_VERBS.get(command, "").split("|") for part in _each(group)}
    assert faces_of(verbs, "command") | shown == (commands(app, command) if command else set())
    for each in verbs:
        lacks = "-" in (each.page, each.operation, each.command)
        assert lacks == bool(each.why), each


def _each(group: str) -> list[str]:
    """Return the verbs of a group: one verb of two words, or several of one word each."""
    words = group.split()
    inner = words[:1] and words[0] in ("number", "rule", "imports", "switch")
    return [group] if inner else words


def test_the_wallet_command_has_every_operation_of_the_accounts() -> None:
    wanted = {
        name.replace("_", "-")
        for name in writes("accounts").values()
        if name not in NO_COMMAND and not name.startswith("post_")
    }
    assert wanted - commands("billing", "wallet") == set()


def test_a_face_that_lacks_a_verb_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    namespace, app, command, first, verbs = KINDS["gate"]
    fewer: Any = [each for each in verbs if each.name != "pause"]
    monkeypatch.setitem(KINDS, "gate", (namespace, app, command, first, fewer))
    with pytest.raises(AssertionError):
        test_each_verb_is_on_every_face_or_says_why_not("gate")
