"""The languages that a visitor's page speaks."""

from django.conf import settings

from queueing.line.models import Visit

SHORT = {"en": "EN", "zh-hans": "中文"}  # where there is no room for the whole name


def known_language(code: str) -> str:
    """The code, if the installation speaks this language; else ""."""
    return code if code in dict(settings.LANGUAGES) else ""


def visit_speaks(*, visit: Visit, language: str) -> str:
    """The visitor's page has this language from now on; one that is not known changes nothing."""
    found = known_language(language)
    if found and found != visit.language:
        visit.language = found
        visit.save(update_fields=["language"])
    return visit.language
