"""The languages of a visitor's page."""

from django.conf import settings

from queueing.line.models import Visit

SHORT = {"en": "EN", "zh-hans": "中文"}  # for places too small for the full name


def known_language(code: str) -> str:
    """Return the code if the installation has this language, else ""."""
    return code if code in dict(settings.LANGUAGES) else ""


def visit_speaks(*, visit: Visit, language: str) -> str:
    """Set the language of the visitor's page and return the current one. Ignore unknown codes."""
    found = known_language(language)
    if found and found != visit.language:
        visit.language = found
        visit.save(update_fields=["language"])
    return visit.language
