"""Pages and messages format dates only with the named filters of poolsite.dates."""

import re
from pathlib import Path

import pytest

from tests.house.source import ROOT, files, relative, text_of

pytestmark = pytest.mark.processes

RAW_IN_TEMPLATES = re.compile(
    r"""\|(?:date|time):(["'])(?P<form>.*?)\1|\{% now (["'])(?P<now>.*?)\3"""
)
# Machines read "c" and "O"; "T" is the zone's name; names in capitals are in poolsite.formats.
NAMED = re.compile(r"c|O|T|[A-Z_]+_FORMAT")
VALUE_OF_A_FIELD = re.compile(r"""\b(?:value|min|max)=["']\{\{ [\w.]+$""")

# `{day:%Y-%m-%d}` and `…T%H:%M` are for URLs and fields, `{time:%H:%M}` is a time of day.
RAW_IN_PYTHON = re.compile(
    r"""strftime\(|:%Y-%m-%d %H|:%[mdbB-]|date_format\([^"\n]*,\s*["'](?![A-Z_]+_FORMAT["'])"""
)
# Where Python writes texts for people. CSV files, logs and management commands keep ISO.
FOR_PEOPLE = re.compile(
    r"/(views|sentences|templatetags)/|/(search|presentation|tokens?_words)\.py$"
)
ALLOWED = {"queueing/line/views/visit.py"}  # the name of a weekday


def raw_in_template(text: str) -> list[str]:
    return [
        found[0]
        for found in RAW_IN_TEMPLATES.finditer(text)
        if not NAMED.fullmatch(found["form"] or found["now"] or "")
        and not VALUE_OF_A_FIELD.search(text[: found.start()])
    ]


def test_no_template_has_a_form_of_date_of_its_own():
    pages = [path for path in files(".html", ".txt") if (ROOT / "templates") in path.parents]
    assert pages
    assert {relative(page): raw for page in pages if (raw := raw_in_template(text_of(page)))} == {}


@pytest.mark.parametrize(
    ("text", "is_raw"),
    [
        ('{{ at|date:"Y-m-d H:i" }}', True),
        ("<p title=\"{{ at|date:'H:i:s' }}\">", True),
        ('{% now "D j M" %}', True),
        ("<time datetime=\"{{ at|date:'c' }}\">{{ at|moment }}</time>", False),
        ("<input value=\"{{ day|date:'Y-m-d' }}\">", False),
        ('{{ at|date:"DATETIME_FORMAT" }}', False),
    ],
)
def test_a_raw_form_is_recognised(text: str, is_raw: bool):
    assert bool(raw_in_template(text)) is is_raw


def for_people(path: Path) -> bool:
    return bool(FOR_PEOPLE.search(f"/{relative(path)}")) and not relative(path).startswith("tests/")


def test_no_python_that_writes_for_people_has_a_form_of_its_own():
    raw = {
        relative(path)
        for path in files(".py")
        if for_people(path)
        if RAW_IN_PYTHON.search(text_of(path))
    }
    assert raw == ALLOWED, "use poolsite.dates"


@pytest.mark.parametrize(
    ("text", "is_raw"),
    [
        ('f"{at:%Y-%m-%d %H:%M}"', True),
        ('f"{day:%d %b}"', True),
        ('at.strftime("%H:%M")', True),
        ('date_format(at, "j M, H:i")', True),
        ('date_format(at, "DATETIME_FORMAT")', False),
        ("dates.moment(at)", False),
    ],
)
def test_a_form_in_python_is_recognised(text: str, is_raw: bool):
    assert bool(RAW_IN_PYTHON.search(text)) is is_raw
