"""The TLS certificate that browsers get, read the way they read it."""

import socket
import ssl
import time
from collections.abc import Iterator

from django.conf import settings

from poolsite.operations.doctor.lines import fail, ok, skip, warn
from poolsite.operations.registry import DoctorLine

SECONDS = 8.0
FEW_DAYS = 14  # certbot renews 30 days before expiry
RENEW = "Renew it (certbot renew), then reload nginx."


def certificate() -> Iterator[DoctorLine]:
    """Check that POOLSITE_PUBLIC_HOST has a trusted certificate that doesn't expire soon."""
    if not settings.BEHIND_TLS or not settings.PUBLIC_HOST:
        yield skip("POOLSITE_BEHIND_TLS or POOLSITE_PUBLIC_HOST is not set")
        return
    host, _colon, port = settings.PUBLIC_HOST.rpartition(":")
    if not host:
        host, port = settings.PUBLIC_HOST, "443"
    place = f"{host}:{port}"
    try:
        days = (_ends_at(host, int(port)) - time.time()) / 86_400
    except ssl.SSLCertVerificationError as error:
        yield fail(f"{place}: {error.verify_message}", RENEW)
    except (OSError, ValueError) as error:
        yield fail(f"{place}: {error}", "Correct POOLSITE_PUBLIC_HOST, or start the proxy.")
    else:
        text = f"{place}: valid for {days:.0f} more days"
        yield ok(text) if days >= FEW_DAYS else warn(text, RENEW)


def _ends_at(host: str, port: int) -> float:
    """Return when the certificate expires, as a Unix time.

    Raise OSError if the host can't be reached or its certificate is not trusted.
    """
    trust = ssl.create_default_context()
    with (
        socket.create_connection((host, port), timeout=SECONDS) as plain,
        trust.wrap_socket(plain, server_hostname=host) as secure,
    ):
        shown = secure.getpeercert() or {}
    return float(ssl.cert_time_to_seconds(str(shown["notAfter"])))
