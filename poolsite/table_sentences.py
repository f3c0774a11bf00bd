"""Why a file cannot be read, in the reader's language.

The program that reads files has no Django, and its sentences may be stored. So the English sentence
is stored everywhere, and pages translate it.
"""

import re
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

TEXTS: Final = (
    gettext_noop("Line %(line)s is longer than %(limit)s characters."),
    gettext_noop("Line %(line)s is not UTF-8."),
    gettext_noop("Line %(line)s is not valid CSV: %(error)s."),
    gettext_noop("Row %(row)s of the sheet comes after row %(earlier)s."),
    gettext_noop("The file cannot be read: it stops the program that reads it."),
    gettext_noop("The file has more than %(limit)s rows."),
    gettext_noop("The file has no rows."),
    gettext_noop("The file has too much text."),
    gettext_noop("The file is empty."),
    gettext_noop("The file is neither CSV nor XLSX."),
    gettext_noop("The file is not a readable XLSX workbook."),
    gettext_noop("The file is too large."),
    gettext_noop("The file takes too long to read."),
    gettext_noop("The file's text is neither UTF-8 nor GB 18030."),
    gettext_noop("The sheet has more than %(limit)s cells."),
    gettext_noop("The workbook has a tag that is too long."),
    gettext_noop("The workbook has no sheet."),
    gettext_noop("The workbook has too many parts."),
    gettext_noop("The workbook is too large."),
    gettext_noop("The workbook unpacks to too much (%(part)s)."),
)
_VALUE: Final = re.compile(r"%\\\((\w+)\\\)s")
_PATTERNS: Final = [
    (text, re.compile(_VALUE.sub(r"(?P<\1>.+)", re.escape(text)))) for text in TEXTS
]


def said(sentence: str) -> str:
    """Translate the sentence of an UnreadableFileError. Return any other text unchanged."""
    for text, pattern in _PATTERNS:
        found = pattern.fullmatch(sentence)
        if found is not None:
            return _(text) % found.groupdict()
    return sentence
