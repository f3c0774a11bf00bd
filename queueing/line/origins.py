"""Validation of a widget's settings: origins of sites, and a color that is readable with white."""

import re
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

ORIGINS_LIMIT = 20
ORIGIN_LENGTH = 200
CONTRAST = 4.5  # WCAG 2, level AA
_LOCAL = ("localhost", "127.0.0.1", "[::1]")
_HOST = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\Z")
_COLOUR = re.compile(r"#[0-9a-f]{6}\Z")


def read_origin(text: str) -> str:
    """Return the origin in the form that browsers use: lower case, Punycode, no default port.

    Raise ValidationError unless it is `https://` with a host name, or `http://` with this machine.
    """
    wrong = ValidationError(
        _(
            "“%(origin)s” isn't a valid origin. Enter one such as https://shop.example, "
            "without a path."
        )
        % {"origin": text[:ORIGIN_LENGTH]}
    )
    try:
        parts = urlsplit(text.strip())
        port = parts.port
        host = parts.hostname or ""
        host = f"[{host}]" if ":" in host else host.encode("idna").decode()
    except (ValueError, UnicodeError):
        raise wrong from None
    extra = parts.path.strip("/") or parts.query or parts.fragment or "@" in parts.netloc
    if extra or len(text) > ORIGIN_LENGTH or not (_HOST.match(host) or host in _LOCAL):
        raise wrong
    if parts.scheme == "http" and host not in _LOCAL:
        raise ValidationError(
            _("“%(origin)s” must use https. Only localhost can use http.") % {"origin": text}
        )
    if parts.scheme not in ("http", "https"):
        raise wrong
    default = {"http": 80, "https": 443}[parts.scheme]
    return f"{parts.scheme}://{host}" + (f":{port}" if port not in (None, default) else "")


def check_origins(value: Any) -> None:
    """Raise ValidationError unless it is a list of origins in the form that browsers use."""
    if not isinstance(value, list) or len(value) > ORIGINS_LIMIT:
        raise ValidationError(_("Enter up to %(most)s sites.") % {"most": ORIGINS_LIMIT})
    for each in value:
        if not isinstance(each, str) or read_origin(each) != each:
            raise ValidationError(
                _("“%(origin)s” isn't a valid origin.") % {"origin": str(each)[:80]}
            )


def check_colour(value: str) -> None:
    """Raise ValidationError unless it is `#rrggbb` and has CONTRAST to white text."""
    if not _COLOUR.match(value):
        raise ValidationError(
            _("Enter the color as # and six hexadecimal digits, such as #9810fa.")
        )
    found = contrast_with_white(value)
    if found < CONTRAST:
        raise ValidationError(
            _(
                "White text on this color has a contrast of %(found).1f to 1. It needs at "
                "least 4.5 to 1. Choose a darker color."
            )
            % {"found": int(found * 10) / 10}  # never rounded up to a passing value
        )


def contrast_with_white(colour: str) -> float:
    """Return the contrast ratio of WCAG 2 between white and `#rrggbb`: 1 to 21."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return 1.05 / (luminance + 0.05)
