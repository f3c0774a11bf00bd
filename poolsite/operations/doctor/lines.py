"""The kinds of output lines, and the secrets that no line may show."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from django.conf import settings

from poolsite.hotpath.address import parse_address
from poolsite.operations.registry import DoctorLine

SHORTEST_SECRET = 6  # hiding a shorter one would hide parts of ordinary words
SECRET = ("SECRET", "SECRET_KEY", "TOKEN", "PASSWORD")  # the endings of the names of such settings
HIDDEN = "***"
AWAY = "away"  # never printed: `running` replaces it with skip or fail


def ok(found: str) -> DoctorLine:
    return DoctorLine("ok", found)


def skip(found: str) -> DoctorLine:
    """Return the line of a check that can't be made or isn't needed."""
    return DoctorLine("skip", found)


def warn(found: str, remedy: str) -> DoctorLine:
    return DoctorLine("warn", found, remedy)


def fail(found: str, remedy: str) -> DoctorLine:
    return DoctorLine("fail", found, remedy)


def away(found: str) -> DoctorLine:
    """Return the line of a check that failed because its server doesn't respond.

    It is printed as skipped if another line already reports that server.
    """
    return DoctorLine(AWAY, found)


def judged(sentence: str, mark: str = "fail") -> DoctorLine:
    """Turn a sentence "fault: remedy." into a line."""
    found, _colon, remedy = sentence.rstrip(".").partition(": ")
    return DoctorLine(mark, found, remedy[:1].upper() + remedy[1:])


def hidden(text: str) -> str:
    """Return the text on one line, without the site's secrets, which error texts may contain."""
    for secret in set(_secrets()):
        if len(secret) >= SHORTEST_SECRET:
            text = text.replace(secret, HIDDEN)
    return " ".join(text.split())


def _secrets() -> Iterator[str]:
    yield from (str(getattr(settings, name)) for name in dir(settings) if name.endswith(SECRET))
    yield from settings.SECRET_KEY_FALLBACKS
    yield str(settings.DATABASES["default"].get("PASSWORD") or "")
    for _handler, options in settings.PAYMENT_VARIANTS.values():
        yield from map(str, options.values())
    for url in (
        *(settings.REDIS_URL, settings.CACHE_URL, settings.BROKER_ADDRESS),
        *settings.BILLING_REDIS_URLS.values(),
    ):
        with suppress(ValueError):
            address = parse_address(url)
            yield from map(_password, (address.options, address.sentinel_options))


def _password(options: dict[str, Any]) -> str:
    return str(options.get("password") or "")
