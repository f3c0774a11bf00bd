"""Security headers on every answer, and settings that pass Django's own deployment check."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from poolsite.console import tables
from tests.access.world import World
from tests.support import forking
from tests.support.environment import SAFE
from tests.support.waiting import patient

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["/login/", "/profile/", "/history/", "/no-such-page/", "/accounts/new/"]


def policy(value: str) -> dict[str, set[str]]:
    parts = (part.split() for part in value.split(";") if part.strip())
    return {name: set(rest) for name, *rest in parts}


@pytest.mark.parametrize("path", PAGES)
def test_our_pages_run_no_inline_script_style_or_eval(world: World, path: str) -> None:
    answer = world.client("operate").get(path)
    rules = policy(answer["Content-Security-Policy"])
    assert rules["default-src"] == {"'none'"}
    assert rules["frame-ancestors"] == {"'none'"}
    assert rules["base-uri"] == {"'none'"}
    assert not any("unsafe" in word for words in rules.values() for word in words)
    assert "<script>" not in answer.content.decode()
    assert " style=" not in answer.content.decode()
    assert " onclick=" not in answer.content.decode()


def test_the_admin_alone_may_evaluate_and_style(world: World) -> None:
    rules = policy(world.client("operate").get("/admin/")["Content-Security-Policy"])
    assert rules["script-src"] == {"'self'", "'unsafe-eval'"}
    assert rules["style-src"] == {"'self'", "'unsafe-inline'"}
    assert rules["frame-ancestors"] == {"'none'"}


def _broken(*_given: object, **_options: object) -> None:
    raise RuntimeError("a fault of ours")


ANSWERS: dict[str, tuple[int, Callable[[Client], Any]]] = {
    "page": (200, lambda client: client.get("/login/", follow=True)),
    "admin": (200, lambda client: client.get("/admin/")),
    "redirect": (302, lambda client: client.get("/profile/", HTTP_COOKIE="")),
    "no slash": (301, lambda client: client.get("/profile")),
    "another host": (400, lambda client: client.get("/login/", HTTP_HOST="evil.example")),
    "no CSRF token": (403, lambda _: Client(enforce_csrf_checks=True).post("/login/", {"a": "b"})),
    "missing": (404, lambda client: client.get("/no-such-page/")),
    "wrong method": (405, lambda client: client.post("/tokens/")),
    "fault": (500, lambda client: client.get("/tokens/")),
}


@pytest.mark.parametrize("kind", ANSWERS)
def test_every_answer_carries_the_headers(
    world: World, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = world.client("operate")
    client.raise_request_exception = False
    if kind == "fault":
        monkeypatch.setattr(tables, "answer", _broken)
    status, ask = ANSWERS[kind]
    answer = ask(client)
    assert answer.status_code == status
    assert policy(answer["Content-Security-Policy"])["frame-ancestors"] == {"'none'"}
    assert answer["X-Frame-Options"] == "DENY"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Referrer-Policy"] == "same-origin"
    assert answer["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "camera=()" in answer["Permissions-Policy"]
    assert "no-store" in answer["Cache-Control"]


def test_a_request_is_named_and_a_sane_given_name_kept(world: World) -> None:
    client = world.client("operate")
    assert len(client.get("/login/")["X-Request-ID"]) == 32
    assert client.get("/login/", HTTP_X_REQUEST_ID="proxy-1234")["X-Request-ID"] == "proxy-1234"
    for bad in ("short", "x" * 65, "with space", "line\nbreak"):
        assert client.get("/login/", HTTP_X_REQUEST_ID=bad)["X-Request-ID"] != bad


def test_the_session_cookie_is_for_the_server_alone(world: World) -> None:
    client = world.client("operate")
    client.get("/profile/")
    cookie = client.cookies["session"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"


def production(*command: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    environment = {
        "PATH": os.environ["PATH"],
        "POOLSITE_DATA_DIR": os.environ["POOLSITE_DATA_DIR"],
        "REDIS_URL": os.environ["REDIS_URL"],
        "POOLSITE_ALLOWED_HOSTS": "console.example",
        "POOLSITE_BEHIND_TLS": "true",
        "POOLSITE_TRUSTED_PROXIES": "127.0.0.1/32",
        **SAFE,
        **variables,
    }
    return forking.run(command, environment, timeout=patient(120))


@pytest.mark.processes
def test_djangos_deployment_check_finds_nothing() -> None:
    done = production("manage.py", "check", "--deploy", "--fail-level", "WARNING")
    assert done.returncode == 0, done.stderr + done.stdout
    assert "no issues" in done.stdout


HSTS = "SECURE_HSTS_SECONDS SECURE_HSTS_INCLUDE_SUBDOMAINS SECURE_HSTS_PRELOAD"


def settings_of(names: str, **variables: str) -> list[str]:
    """Return the values of settings in a process of a production machine."""
    code = (
        "import os; os.environ['DJANGO_SETTINGS_MODULE'] = 'poolsite.settings'; import poolsite; "
        f"from django.conf import settings as s; print(*(getattr(s, n) for n in '{names}'.split()))"
    )
    done = production("-c", code, **variables)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.processes
def test_behind_tls_cookies_have_the_host_prefix_and_https_is_forced() -> None:
    names = (
        "SESSION_COOKIE_NAME CSRF_COOKIE_NAME SESSION_COOKIE_SECURE CSRF_COOKIE_SECURE "
        "SESSION_COOKIE_DOMAIN SESSION_COOKIE_PATH SECURE_SSL_REDIRECT"
    )
    assert settings_of(names) == (
        ["__Host-session", "__Host-csrf", "True", "True", "None", "/", "True"]
    )


@pytest.mark.processes
def test_hsts_promises_nothing_for_the_whole_domain_unless_it_is_told_to() -> None:
    assert settings_of(HSTS) == ["31536000", "False", "False"]
    assert settings_of(
        HSTS,
        POOLSITE_HSTS_SECONDS="60",
        POOLSITE_HSTS_SUBDOMAINS="1",
        POOLSITE_HSTS_PRELOAD="1",
    ) == ["60", "True", "True"]
    assert settings_of(HSTS, POOLSITE_BEHIND_TLS="0") == ["0", "False", "False"]
