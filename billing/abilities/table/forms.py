"""The forms of one terminal's number in files: with its country, or as it is called at home."""

import phonenumbers
from django.conf import settings

from billing.campaigns.reach import international


def forms_of(number: str) -> tuple[str, ...]:
    """Every form of a number: as given, +<country><number>, without its +, as called at home.

    138 0013 8000 and +86 138 0013 8000 are the same terminal where the platform is at home in
    China; what no telephone can have stands for itself.
    """
    whole = international(number)
    if not whole:
        return (number,)
    code = phonenumbers.country_code_for_region(settings.PLATFORM_REGION)
    home = (whole.removeprefix(f"+{code}"),) if whole.startswith(f"+{code}") else ()
    return tuple(dict.fromkeys((number, whole, whole[1:], *home)))
