"""Which settings are refused: each by itself, and similar safe settings are accepted."""

import re
from collections.abc import Sequence
from typing import Any

import pytest

from poolsite.runtime import safety
from tests.house.source import ROOT
from tests.support.environment import SAFE

KEY = "q3J9_xP0vT7mZ2bN8rK5wY1cL6dF4gH-sA0eU9iO3pQ7tR2zX5vB"


@pytest.fixture(autouse=True)
def plain(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The safe settings of a single machine, outside the demo."""
    settings.DEBUG = settings.DEMO = settings.BEHIND_TLS = False
    settings.SECRET_KEY = KEY
    settings.ALLOWED_HOSTS = ["console.example.com"]
    settings.TRUSTED_PROXIES = []
    monkeypatch.delenv("POOLSITE_HOST", raising=False)
    assert list(safety.refusals()) == []


def only(refusals: Any) -> str:
    found: Sequence[str] = list(refusals)
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("key", "fault"),
    [
        ("insecure-default-secret-refused-outside-debug", "is not set"),
        ("x", "has 1 characters, which is too few"),
        (KEY[:49], "has 49 characters, which is too few"),
        ("ab" * 40, "has only 2 different characters"),
        ("012345678" * 9, "has only 9 different characters"),
        ("django-insecure-" + KEY, "is an example from a document"),
        ("CHANGE-ME-" + KEY, "is an example from a document"),
    ],
)
def test_a_key_that_can_be_guessed_is_refused(settings: Any, key: str, fault: str) -> None:
    settings.SECRET_KEY = key
    told = only(safety.key_refusals())
    assert told.startswith(f"POOLSITE_SECRET_KEY {fault}: set POOLSITE_SECRET_KEY to 50 random")
    assert key not in told


def test_keys_made_as_the_refusal_advises_are_taken(settings: Any) -> None:
    command = re.search(r"-c '(.*)'", safety.MAKE_KEY)
    assert command is not None
    printed: list[str] = []
    for _ in range(100):
        exec(command[1], {"print": printed.append})
        settings.SECRET_KEY = printed[-1]
        assert list(safety.key_refusals()) == []
    assert len(set(printed)) == 100


def test_no_document_shows_a_key_that_would_be_taken(settings: Any) -> None:
    files = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("deploy/**/*")]
    for file in files:
        if not file.is_file():
            continue
        for shown in re.findall(r"POOLSITE_SECRET_KEY=(\S+)", file.read_text(errors="ignore")):
            key = shown.strip("`'\"")
            if not key:
                continue  # Django itself refuses an empty key
            settings.SECRET_KEY = key
            assert list(safety.key_refusals()) or "$" in shown, f"{file}: {shown}"


def test_what_the_tests_use_would_be_taken(settings: Any) -> None:
    settings.SECRET_KEY = SAFE["POOLSITE_SECRET_KEY"]
    assert list(safety.key_refusals()) == []


@pytest.mark.parametrize("host", ["*", ".com", ".internal", "."])
def test_hosts_that_are_everybodys_are_refused(settings: Any, host: str) -> None:
    settings.ALLOWED_HOSTS = ["console.example.com", host]
    told = only(safety.host_refusals())
    assert told.startswith(f"POOLSITE_ALLOWED_HOSTS contains {host!r}, ")


@pytest.mark.parametrize("host", [".example.com", "console", "[::1]", ".localhost", "10.1.2.3"])
def test_hosts_that_are_ones_own_are_taken(settings: Any, host: str) -> None:
    settings.ALLOWED_HOSTS = [host]
    assert list(safety.host_refusals()) == []


@pytest.mark.parametrize("name", ["DEMO", "DEBUG"])
@pytest.mark.parametrize(
    ("command", "address"),
    [
        ("/venv/bin/uvicorn poolsite.asgi:application --host 0.0.0.0", "0.0.0.0"),
        ("/lib/uvicorn/__main__.py poolsite.asgi:application --host=192.0.2.1", "192.0.2.1"),
        ("/venv/bin/daphne -b 0.0.0.0 poolsite.asgi:application", "0.0.0.0"),
        ("/venv/bin/daphne -b:: poolsite.asgi:application", "::"),
        ("/venv/bin/daphne --bind=example.com poolsite.asgi:application", "example.com"),
        ("manage.py runserver 0:8000", "0"),
        ("./manage.py runserver --noreload [::]:8000", "::"),
    ],
)
def test_a_server_that_others_reach_is_refused_in_the_demo_and_with_debugging(
    settings: Any, name: str, command: str, address: str
) -> None:
    settings.ALLOWED_HOSTS = ["localhost"]
    words = command.split()
    assert list(safety.public_refusals(words)) == []
    setattr(settings, name, True)
    told = only(safety.public_refusals(words))
    assert f"the server is set to listen on {address}: unset POOLSITE_{name}, or" in told


@pytest.mark.parametrize(
    "command",
    [
        "/venv/bin/uvicorn poolsite.asgi:application --host 127.0.0.1",
        "/venv/bin/uvicorn poolsite.asgi:application --uds /run/web.sock",
        "/venv/bin/daphne -b ::1 poolsite.asgi:application",
        "/venv/bin/celery -A poolsite worker -b redis://10.0.0.1/0",
        "manage.py runserver localhost:8000",
        "manage.py runserver 8000",
        "manage.py timers",
        "-c",
    ],
)
def test_what_only_this_machine_reaches_is_taken(settings: Any, command: str) -> None:
    settings.DEMO, settings.ALLOWED_HOSTS = True, ["localhost", "127.0.0.1", "[::1]"]
    assert list(safety.public_refusals(command.split())) == []


def test_the_demos_own_address_counts(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DEMO, settings.ALLOWED_HOSTS = True, ["localhost"]
    monkeypatch.setenv("POOLSITE_HOST", "192.0.2.7")
    assert "listen on 192.0.2.7" in only(safety.public_refusals(["-c"]))


def test_behind_tls_the_proxies_are_asked_for(settings: Any) -> None:
    settings.BEHIND_TLS = True
    assert "set POOLSITE_TRUSTED_PROXIES to the proxy's network" in only(safety.proxy_refusals())
    settings.TRUSTED_PROXIES = ["10.0.0.0/8", "unix", "::1"]
    assert list(safety.proxy_refusals()) == []


@pytest.mark.parametrize(
    ("proxy", "fault"),
    [
        ("0.0.0.0/0", "lets every client choose its address"),
        ("::/0", "lets every client choose its address"),
        ("10.0.0.1/8", "is not a network (10.0.0.1/8 has host bits set)"),
        ("nginx", "is not a network"),
    ],
)
def test_proxies_that_are_everybody_or_nothing_are_refused(
    settings: Any, proxy: str, fault: str
) -> None:
    settings.TRUSTED_PROXIES = [proxy]
    assert fault in only(safety.proxy_refusals())


@pytest.mark.parametrize("mode", ["DEMO", "DEBUG", ""])
@pytest.mark.parametrize("backend", ["console", "filebased", "locmem", "dummy", "smtp"])
def test_mail_needs_a_server_outside_the_demo_and_never_goes_to_the_log(
    settings: Any, backend: str, mode: str
) -> None:
    settings.EMAIL_CONFIG = {"EMAIL_BACKEND": f"django.core.mail.backends.{backend}.EmailBackend"}
    if mode:
        setattr(settings, mode, True)
    told = list(safety.mail_refusals())
    taken = {"DEMO": {"filebased", "locmem", "dummy", "smtp"}, "": {"smtp"}}
    if mode == "DEBUG" or backend in taken[mode]:
        assert told == []
    else:
        assert len(told) == 1
        assert "set EMAIL_URL" in told[0]


@pytest.mark.parametrize(
    ("seconds", "subdomains", "is_taken"),
    [(31536000, True, True), (31535999, True, False), (31536000, False, False)],
)
def test_preloading_needs_the_whole_domain_for_a_year(
    settings: Any, seconds: int, subdomains: bool, is_taken: bool
) -> None:
    settings.SECURE_HSTS_SECONDS = seconds
    settings.SECURE_HSTS_INCLUDE_SUBDOMAINS = subdomains
    assert list(safety.hsts_refusals()) == []
    settings.SECURE_HSTS_PRELOAD = True
    assert (not list(safety.hsts_refusals())) is is_taken
