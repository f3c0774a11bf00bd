"""Which pages may open a socket, and which address a request comes from."""

from typing import Any

import pytest
from django.test import RequestFactory

from poolsite import access
from poolsite.access.addresses import right_most


def scope(host: str = "console.example", **headers: str) -> dict[str, Any]:
    named = {"host": host, **{name.replace("_", "-"): value for name, value in headers.items()}}
    pairs = [(name.encode(), value.encode("latin-1")) for name, value in named.items()]
    return {"type": "websocket", "headers": pairs, "client": ("192.0.2.1", 5000)}


@pytest.fixture(autouse=True)
def _hosts(settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["console.example", "[::1]"]
    settings.CSRF_TRUSTED_ORIGINS = ["https://wall.example"]


@pytest.mark.parametrize(
    "given",
    [
        {"origin": "http://console.example"},
        {"origin": "https://console.example"},
        {"origin": "http://console.example:80"},
        {"origin": "http://console.example:8000", "host": "console.example:8000"},
        {"origin": "http://[::1]:8000", "host": "[::1]:8000"},
        {"origin": "https://wall.example"},
        {"authorization": "Bearer ps_x"},
        {"authorization": "Bearer ps_x", "origin": "https://evil.example"},
    ],
)
def test_the_own_page_a_trusted_one_and_token_clients_may_connect(given: dict[str, str]) -> None:
    assert access.origin_allowed(scope(**given))


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"origin": ""},
        {"origin": "null"},
        {"origin": "https://evil.example"},
        {"origin": "https://console.example.evil.example"},
        {"origin": "https://evilconsole.example"},
        {"origin": "http://console.example:8001"},
        {"origin": "console.example"},
        {"origin": "ftp://console.example"},
        {"origin": "http://console.example/path"},
        {"origin": "http://console.example:port"},
        {"origin": "http://user@evil.example"},
        {"origin": "http://[console.example"},
        {"origin": "https://wall.example:444"},
        {"origin": "http://evil.example", "host": "evil.example"},
        {"origin": "http://evil.example", "x_forwarded_host": "evil.example"},
        {"origin": "null", "cookie": "session=x"},
    ],
)
def test_missing_null_and_foreign_origins_are_refused(given: dict[str, str]) -> None:
    assert not access.origin_allowed(scope(**given))


def test_behind_tls_a_plain_origin_is_refused(settings: Any) -> None:
    settings.BEHIND_TLS = True
    assert access.origin_allowed(scope(origin="https://console.example"))
    assert not access.origin_allowed(scope(origin="http://console.example"))


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("192.0.2.1", "", "192.0.2.1"),
        ("192.0.2.1", "198.51.100.1", "192.0.2.1"),
        ("10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "1.2.3.4, 198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "1.2.3.4, 198.51.100.1, 10.0.0.2", "198.51.100.1"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "evil, text", "10.0.0.1"),
        ("10.0.0.1", "198.51.100.1, evil", "10.0.0.1"),
        ("10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"),
        ("10.0.0.1", "2001:db8::1", "2001:db8::1"),
        ("", "198.51.100.1", "198.51.100.1"),
        ("not an address", "198.51.100.1", "not an address"),
    ],
)
def test_the_address_is_the_right_most_that_is_no_proxy_of_ours(
    settings: Any, peer: str, forwarded: str, address: str
) -> None:
    settings.TRUSTED_PROXIES = ["10.0.0.0/8", "unix"]
    assert right_most(peer, forwarded) == address


def test_without_trusted_proxies_the_header_is_never_believed(settings: Any) -> None:
    settings.TRUSTED_PROXIES = []
    request = RequestFactory().get(
        "/", REMOTE_ADDR="192.0.2.1", HTTP_X_FORWARDED_FOR="198.51.100.1"
    )
    assert access.client_address(request) == "192.0.2.1"
    assert access.client_address_of_scope(scope(x_forwarded_for="198.51.100.1")) == "192.0.2.1"


def test_several_forwarding_headers_of_a_socket_count_as_one(settings: Any) -> None:
    settings.TRUSTED_PROXIES = ["192.0.2.1"]
    asked = scope(x_forwarded_for="1.1.1.1")
    asked["headers"].append((b"x-forwarded-for", b"198.51.100.1"))
    assert access.client_address_of_scope(asked) == "198.51.100.1"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"cookie": "session="},
        {"cookie": "session=" + "x" * 2000},
        {"cookie": "\x00=;;;session"},
        {"authorization": "Bearer"},
        {"authorization": "Bearer " + "x" * 5000},
        {"authorization": "Digest x", "cookie": "session=x"},
    ],
)
async def test_a_credential_that_makes_no_sense_is_nobodys(headers: dict[str, str]) -> None:
    assert await access.principal_of_scope(scope(**headers)) is access.ANONYMOUS
