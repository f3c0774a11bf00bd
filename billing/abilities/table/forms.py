"""The forms of a terminal's number in files: international or national."""

import phonenumbers
from django.conf import settings

from billing.campaigns.reach import international


def forms_of(number: str) -> tuple[str, ...]:
    """Return every form of a number: as given, +<country><number>, without the +, and national.

    If the platform's region is China, 138 0013 8000 and +86 138 0013 8000 are the same terminal. A
    text that can't be a phone number is its only form.
    """
    whole = international(number)
    if not whole:
        return (number,)
    code = phonenumbers.country_code_for_region(settings.PLATFORM_REGION)
    home = (whole.removeprefix(f"+{code}"),) if whole.startswith(f"+{code}") else ()
    return tuple(dict.fromkeys((number, whole, whole[1:], *home)))
