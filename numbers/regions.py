"""A number's region and carrier in phonenumbers' metadata. These are labels, not a validation."""

import re
import sys
from dataclasses import dataclass
from functools import lru_cache

import phonenumbers
from django.conf import settings

CACHED = 65_536


@dataclass(frozen=True, slots=True)
class Labels:
    """Names in English, empty where nothing is known."""

    region: str = ""
    carrier: str = ""


def is_loaded() -> bool:
    """Whether the geographic metadata is in memory: loading it takes about 0.3 s."""
    return "phonenumbers.geocoder" in sys.modules


def labels(value: str) -> Labels:
    """Return region and carrier of a normalised number. Each is empty if the metadata lacks it."""
    # Imported here, because the metadata takes 100 MB and most processes never need it.
    from phonenumbers import carrier, geocoder

    parsed = _parsed(value)
    if parsed is None:
        return Labels()
    return Labels(
        region=geocoder.description_for_number(parsed, "en")[:80],
        carrier=carrier.name_for_number(parsed, "en")[:80],
    )


@lru_cache(CACHED)
def area(value: str) -> str:
    """The key by which near numbers find each other: `86-shanghai`, else `86`, else ""."""
    from phonenumbers import geocoder

    parsed = _parsed(value)
    if parsed is None:
        return ""
    name = geocoder.description_for_number(parsed, "en")
    words = re.sub(r"[^a-z0-9]+", "-", f"{parsed.country_code} {name}".lower())
    return words.strip("-")[:40]


def _parsed(value: str) -> phonenumbers.PhoneNumber | None:
    if sum(char.isdigit() for char in value) < 5:  # short codes have no region
        return None
    try:
        return phonenumbers.parse(value, settings.PLATFORM_REGION)
    except phonenumbers.NumberParseException:
        return None
