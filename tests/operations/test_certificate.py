"""doctor's check of the site's certificate: a real TLS server with real certificates."""

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from poolsite.operations import DoctorLine
from poolsite.operations.doctor.certificate import certificate
from tests.operations.hostile import certified
from tests.support.ports import free_port


@contextmanager
def serving(context: ssl.SSLContext) -> Iterator[int]:
    """Run a TLS server that sends nothing. Yield its port."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    with suppress(OSError), context.wrap_socket(connection, server_side=True) as it:
                        it.recv(1)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()


def line(settings: Any, host: str) -> DoctorLine:
    settings.BEHIND_TLS, settings.PUBLIC_HOST = True, host
    (found,) = certificate()
    return found


@pytest.mark.parametrize(
    ("days", "mark", "found"),
    [
        (90.5, "ok", "valid for 90 more days"),
        (5.4, "warn", "valid for 5 more days"),
        (-0.5, "fail", "certificate has expired"),
    ],
)
def test_a_certificate_is_judged_by_its_end(
    tmp_path: Path,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
    days: float,
    mark: str,
    found: str,
) -> None:
    context, trusted = certified(tmp_path, "127.0.0.1", days=days)
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    with serving(context) as port:
        seen = line(settings, f"127.0.0.1:{port}")
        assert (seen.mark, seen.found) == (mark, f"127.0.0.1:{port}: {found}")


def test_a_certificate_of_nobody_or_of_another_name_is_refused(
    tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    context, trusted = certified(tmp_path, "other.example.com", days=90)
    with serving(context) as port:
        place = f"127.0.0.1:{port}"
        assert "self-signed" in line(settings, place).found
        monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
        seen = line(settings, place)
        assert (seen.mark, "not valid for" in seen.found) == ("fail", True)


def test_a_proxy_that_is_away_and_a_site_without_tls(settings: Any) -> None:
    assert "refused" in line(settings, f"127.0.0.1:{free_port()}").found
    assert line(settings, "").mark == "skip"
