"""Dates and figures are written as the language of the reader writes them, everywhere."""

import re
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone
from django.utils.translation import override

from poolsite.operations.dates import FORMATS, date_words
from poolsite.operations.templatetags.console import decimal, figure
from tests.house.source import ROOT

PAGES = sorted((ROOT / "templates").rglob("*.html"))
WORDS = re.compile(r"""\|date:(?:"[^"]*[DFMNl][^"]*"|'[^']*[DFMNl][^']*')""")


@pytest.mark.parametrize(
    ("language", "moment", "day", "month"),
    [
        ("en", "Mon 23 Nov, 01:05", "Sun 22 November 2026", "November 2026"),
        ("zh-hans", "11月23日星期一 01:05", "2026年11月22日星期日", "2026年11月"),
    ],
)
def test_a_date_is_said_as_its_language_says_it(
    language: str, moment: str, day: str, month: str
) -> None:
    at = datetime(2026, 11, 22, 17, 5, tzinfo=UTC)
    with override(language), timezone.override(ZoneInfo("Asia/Shanghai")):
        assert date_words(at, "D j M, H:i") == moment
        assert date_words(date(2026, 11, 22), "D j F Y") == day
        assert date_words(date(2026, 11, 22), "F Y") == month


def test_every_form_is_written_by_one_that_names_the_same_parts() -> None:
    same = str.maketrans("Fn", "MM")
    for form, translated in FORMATS.items():
        with override("zh-hans"):
            written = set(re.findall("[A-Za-z]", str(translated).translate(same)))
        assert written == set(re.findall("[A-Za-z]", form.translate(same)))


def test_no_page_writes_a_date_with_words_in_an_order_of_its_own() -> None:
    wrong = [page.name for page in PAGES if WORDS.search(page.read_text(encoding="utf-8"))]
    assert wrong == []


def test_every_form_that_a_page_asks_for_is_one_of_the_forms() -> None:
    asked = re.compile(r"""date_words:["']([^"']*)""")
    used = {form for page in PAGES for form in asked.findall(page.read_text(encoding="utf-8"))}
    assert used
    assert used <= FORMATS.keys()


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_figures_are_grouped_as_the_browser_groups_them(language: str) -> None:
    with override(language):
        assert figure(1234567) == "1,234,567"
        assert decimal(1234.5) == "1,234.5"
