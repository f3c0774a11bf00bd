"""Queries a lookup service: POST {"numbers": […]} → {"yuexin": {"<number>": true | false}}.

A number that the answer leaves out is unknown. Any other deviation makes the whole answer a
failure, because answers are stored for a month.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Final

import httpx
import orjson
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from billing.abilities.interface import AbilityProvider, ProviderFailedError, ProviderSlowError

ANSWER_BYTES_LIMIT: Final = 256 * 1024
CONNECTIONS: Final = 16


class HttpProvider:
    """An HTTP client with persistent connections, shared by all threads of the process."""

    name = "http"
    remote = True

    def __init__(self, url: str, token: str) -> None:
        self._url = url
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        limits = httpx.Limits(max_connections=CONNECTIONS)
        self._client = httpx.Client(headers=headers, limits=limits, follow_redirects=False)

    def ask(self, numbers: Sequence[str], seconds: float) -> Mapping[str, bool]:
        """Look numbers up. Raise ProviderSlowError or ProviderFailedError."""
        end = time.monotonic() + seconds
        try:
            with self._client.stream(
                "POST", self._url, json={"numbers": list(numbers)}, timeout=seconds
            ) as response:
                if response.status_code != 200:
                    raise ProviderFailedError(f"http: status {response.status_code}")
                return _read(_body(response, end))
        except httpx.TimeoutException as error:
            raise ProviderSlowError(f"http: {type(error).__name__}") from error
        except httpx.HTTPError as error:
            raise ProviderFailedError(f"http: {type(error).__name__}") from error


def _body(response: httpx.Response, end: float) -> bytes:
    """Return the body. Raise an error if it takes longer than the deadline or is far too long."""
    body = b""
    for piece in response.iter_bytes():
        body += piece
        if time.monotonic() > end:
            raise ProviderSlowError("http: the answer did not end in time")
        if len(body) > ANSWER_BYTES_LIMIT:
            raise ProviderFailedError("http: the answer is too long")
    return body


def _read(body: bytes) -> Mapping[str, bool]:
    try:
        known = orjson.loads(body)["yuexin"]
    except (ValueError, TypeError, KeyError) as error:
        raise ProviderFailedError("http: the answer is not as agreed") from error
    if not isinstance(known, dict) or not all(isinstance(value, bool) for value in known.values()):
        raise ProviderFailedError("http: the answer is not as agreed")
    return known


def provider() -> AbilityProvider:
    """Return the provider that the settings describe. Raise ImproperlyConfigured without a URL."""
    if not settings.BILLING_ABILITY_URL:
        raise ImproperlyConfigured("POOLSITE_ABILITY_URL is needed for the provider http.")
    return HttpProvider(settings.BILLING_ABILITY_URL, settings.BILLING_ABILITY_TOKEN)
