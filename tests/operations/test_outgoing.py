"""What a URL that a user typed in can't do to us: hostile answers, proxies, certificates.

The tests check what the listeners got. That a call never reaches an address inside our network is
tested with a real resolver and real interfaces in test_outgoing_live.py.
"""

import asyncio
import gzip
import ipaddress
import socket
import ssl
import threading
from pathlib import Path
from typing import Any

import certifi
import pytest

from poolsite.operations import outgoing
from poolsite.operations.outgoing import DeliveryOutcome
from tests.operations.hostile import Behaviour, certified, drips, floods, listening, says
from tests.support.waiting import patient, until

TAKEN = b"HTTP/1.1 204 No Content\r\n\r\n"
OPEN_ENDED = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"


@pytest.fixture
def own_network(settings: Any) -> None:
    """Allow calls to loopback, where the tests' receivers are."""
    settings.OUTGOING_PRIVATE_ADDRESSES = True


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give a call little time. A dripping receiver would take a minute."""
    monkeypatch.setattr(outgoing, "WHOLE_SECONDS", patient(2))


def post(url: str) -> DeliveryOutcome:
    return asyncio.run(outgoing.post(url, {"id": "e"}, secrets=["s"]))


def resolve_as(monkeypatch: pytest.MonkeyPatch, **hosts: list[str]) -> None:
    """Make names resolve to these addresses. Every other name is looked up as usual."""
    real = socket.getaddrinfo

    def look_up(host: Any, port: Any, *arguments: Any, **options: Any) -> Any:
        given = hosts.get(str(host).replace(".", "_"))
        if given is None:
            return real(host, port, *arguments, **options)
        return [entry for each in given for entry in real(each, port, *arguments, **options)]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)


@pytest.mark.parametrize(
    "behave",
    [
        drips(b"HTTP/1.1 200 OK\r\nX-Slow: ", b"x", b"\r\nContent-Length: 0\r\n\r\n"),
        drips(b"", b"HTTP/1.1 100 Continue\r\n\r\n", TAKEN),
        drips(b"", b"HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n", TAKEN),
    ],
    ids=["header", "100", "103"],
)
def test_an_answer_that_never_comes_to_its_status_is_left(
    own_network: None, hurried: None, behave: Behaviour
) -> None:
    with listening(behave) as receiver:
        outcome = post(f"http://127.0.0.1:{receiver.port}/")
        assert (outcome.ok, outcome.status) == (False, None)
        assert outcome.error


def test_a_name_server_that_does_not_answer_takes_no_more_time_than_a_receiver(
    own_network: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outgoing, "WHOLE_SECONDS", 0.2)
    answers = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: answers.wait(patient(60)))
    try:
        outcome = post("http://slow.example/")
        assert not answers.is_set()  # the look-up still runs, and nothing has waited for it
    finally:
        answers.set()
    assert (outcome.ok, outcome.status) == (False, None)
    assert outcome.error == "TimeoutError: no answer within 0.2 s"


def test_a_body_that_drips_is_left_and_its_status_counts(own_network: None, hurried: None) -> None:
    with listening(drips(OPEN_ENDED, b"x")) as receiver:
        outcome = post(f"http://127.0.0.1:{receiver.port}/")
        assert (outcome.ok, outcome.status) == (True, 200)
        until(lambda: receiver.cut_off == 1)


def test_of_an_endless_body_only_the_beginning_is_read(own_network: None) -> None:
    with listening(floods(OPEN_ENDED, b"x" * 65_536)) as receiver:
        outcome = post(f"http://127.0.0.1:{receiver.port}/")
        assert outcome.ok
        assert outcome.answer == "x" * outgoing.ANSWER_BYTES
        until(lambda: receiver.cut_off == 1)


def test_a_compressed_answer_is_not_expanded(own_network: None) -> None:
    bomb = gzip.compress(bytes(20_000_000))
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(bomb)
    with listening(says(head + bomb)) as receiver:
        outcome = post(f"http://127.0.0.1:{receiver.port}/")
    assert outcome.ok
    assert outcome.answer == bomb[: outgoing.ANSWER_BYTES].decode("utf-8", "replace")


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 1_000_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200_000 + b"\r\n",
        b"220 mail.example ESMTP\r\n",
        b"-ERR unknown command 'POST'\r\n",
        b"",
    ],
    ids=["long header", "many headers", "smtp", "redis", "nothing"],
)
def test_what_is_no_bounded_http_answer_is_a_failure(own_network: None, answer: bytes) -> None:
    with listening(says(answer)) as receiver:
        outcome = post(f"http://127.0.0.1:{receiver.port}/")
    assert (outcome.ok, outcome.status) == (False, None)
    assert outcome.error


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed(own_network: None, status: int) -> None:
    with listening(says(TAKEN)) as inside:
        target = f"http://127.0.0.1:{inside.port}/inside"
        answer = f"HTTP/1.1 {status} x\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n"
        with listening(says(answer.encode())) as receiver:
            outcome = post(f"http://127.0.0.1:{receiver.port}/")
        assert (outcome.ok, outcome.status) == (False, status)
        assert inside.heads == []


def test_proxies_of_the_environment_are_not_used(
    own_network: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with listening(says(TAKEN)) as proxy, listening(says(TAKEN)) as receiver:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
            monkeypatch.setenv(name.lower(), f"http://127.0.0.1:{proxy.port}")
        assert post(f"http://127.0.0.1:{receiver.port}/").ok
        assert proxy.heads == []
        assert len(receiver.heads) == 1


def test_a_further_address_is_tried_when_the_first_takes_no_connection(
    own_network: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolve_as(monkeypatch, hooks_example=["127.0.0.2", "127.0.0.1"])
    with listening(says(TAKEN)) as receiver:
        assert post(f"http://hooks.example:{receiver.port}/").ok
    assert f"host: hooks.example:{receiver.port}".encode() in receiver.heads[0].lower()


def test_an_ipv6_address_is_called_in_its_brackets(own_network: None) -> None:
    with listening(says(TAKEN), host="::1") as receiver:
        assert post(f"http://[::1]:{receiver.port}/").ok
    assert f"host: [::1]:{receiver.port}".encode() in receiver.heads[0].lower()


@pytest.fixture
def hooks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """A server context with a trusted certificate for hooks.example. Two names lead to loopback."""
    context, trusted = certified(tmp_path, "hooks.example")
    monkeypatch.setattr(certifi, "where", lambda: str(trusted))
    resolve_as(monkeypatch, hooks_example=["127.0.0.1"], other_example=["127.0.0.1"])
    return context


def test_the_certificate_is_that_of_the_name_though_the_call_goes_to_an_address(
    own_network: None, hooks: ssl.SSLContext
) -> None:
    with listening(says(TAKEN), tls=hooks) as receiver:
        assert post(f"https://hooks.example:{receiver.port}/").ok
    assert receiver.names == ["hooks.example"]
    assert len(receiver.heads) == 1


@pytest.mark.parametrize("host", ["other.example", "127.0.0.1"])
def test_a_certificate_of_another_name_is_refused_before_anything_is_sent(
    own_network: None, hooks: ssl.SSLContext, host: str
) -> None:
    with listening(says(TAKEN), tls=hooks) as receiver:
        outcome = post(f"https://{host}:{receiver.port}/")
        assert not outcome.ok
        assert "CERTIFICATE_VERIFY_FAILED" in outcome.error
    assert receiver.heads == []


def test_a_certificate_that_nobody_trusts_is_refused(own_network: None, tmp_path: Path) -> None:
    context, _ = certified(tmp_path, "127.0.0.1")
    with listening(says(TAKEN), tls=context) as receiver:
        outcome = post(f"https://127.0.0.1:{receiver.port}/")
        assert "CERTIFICATE_VERIFY_FAILED" in outcome.error
    assert receiver.heads == []


def test_a_receiver_named_by_its_address_needs_a_certificate_for_the_address(
    own_network: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context, trusted = certified(tmp_path, "127.0.0.1")
    monkeypatch.setattr(certifi, "where", lambda: str(trusted))
    with listening(says(TAKEN), tls=context) as receiver:
        assert post(f"https://127.0.0.1:{receiver.port}/").ok


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:{port}/\r\nX-Added: yes",
        "http://127.0.0.1:{port}/\nX-Added: yes",
        "http://127.0.0.1:{port}\r\nX-Added: yes/",
        "http://user:word@127.0.0.1:{port}/",
        "http://user@127.0.0.1:{port}/",
        "http+unix://127.0.0.1:{port}/",
        "unix://127.0.0.1:{port}/",
        "//127.0.0.1:{port}/",
        "http:127.0.0.1:{port}/",
        "http://127.0.0.1:99999/",
    ],
)
def test_an_address_with_more_in_it_than_a_host_and_a_path_is_not_called(
    own_network: None, address: str
) -> None:
    with listening(says(TAKEN)) as receiver:
        outcome = post(address.format(port=receiver.port))
        assert not outcome.ok
        assert outcome.error
    assert receiver.heads == []


def test_encoded_line_breaks_stay_encoded(own_network: None) -> None:
    with listening(says(TAKEN)) as receiver:
        post(f"http://127.0.0.1:{receiver.port}/a%0d%0aX-Added:%20yes?b=%0d%0aX-Added:%20yes")
    assert b"\r\nX-Added" not in receiver.heads[0]


@pytest.mark.parametrize("port", [21, 22, 25, 5432, 6379, 9200, 0])
def test_only_ports_of_web_servers_are_called(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(socket, "getaddrinfo", lambda *given, **_: asked.append(given))
    outcome = post(f"http://93.184.216.34:{port}/")
    assert not outcome.ok
    assert outcome.error
    assert asked == []


@pytest.mark.parametrize(
    "url", ["http://a.example/", "https://a.example/", "https://a.example:8443/"]
)
def test_the_usual_ports_are_called(url: str) -> None:
    assert str(outgoing.check_url(url)) == url


@pytest.mark.parametrize(
    "address",
    [
        "::127.0.0.1",  # IPv4-compatible
        "::ffff:0:127.0.0.1",  # IPv4-translated
        "64:ff9b::169.254.169.254",
        "64:ff9b:1::127.0.0.1",  # NAT64 with a local prefix
        "2002:a9fe:a9fe::",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",  # Teredo
        "fec0::1",
        "5f00::1",
        "3fff::1",
        "2001:db8::1",
        "ff0e::1",
        "::",
        "0.0.0.0",
        "0.1.2.3",
        "169.254.169.254",
        "100.100.100.200",
        "168.63.129.16",
        "192.0.0.192",
        "192.88.99.1",
        "198.18.0.1",
        "203.0.113.1",
        "240.0.0.1",
        "255.255.255.255",
        "224.0.0.251",
    ],
)
def test_addresses_that_are_inside_or_nobodys_are_not_public(address: str) -> None:
    assert not outgoing.is_public(ipaddress.ip_address(address))
