"""Dates and figures have the format of the user's language, everywhere."""

import datetime as clock
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from django.template import engines
from django.utils import timezone
from django.utils.translation import override

from poolsite import dates
from poolsite.console.templatetags.console import decimal, figure
from poolsite.formats.en import formats as english
from poolsite.formats.zh_Hans import formats as chinese

AT = datetime(2026, 11, 22, 17, 5, 9, tzinfo=UTC)  # the 23rd, 01:05, in Shanghai
NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
SHANGHAI = ZoneInfo("Asia/Shanghai")


@pytest.fixture(autouse=True)
def _it_is_2026(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timezone, "now", lambda: NOW)


def written(filters: str, at: object, language: str) -> str:
    page = engines["django"].from_string("{% load console tz %}{{ at|" + filters + " }}")
    with override(language), timezone.override(SHANGHAI):
        return page.render({"at": at})


@pytest.mark.parametrize(
    ("name", "in_english", "in_chinese"),
    [
        ("moment", "23 Nov, 01:05", "11月23日 01:05"),
        ("moment_exact", "23 Nov, 01:05:09", "11月23日 01:05:09"),
        ("day", "23 Nov", "11月23日"),
        ("weekday", "Mon 23 Nov", "11月23日星期一"),
        ("month", "November 2026", "2026年11月"),
        ("time", "01:05", "01:05"),
        ("time_exact", "01:05:09", "01:05:09"),
    ],
)
def test_a_moment_is_written_in_the_readers_zone_and_language(
    name: str, in_english: str, in_chinese: str
) -> None:
    assert written(name, AT, "en") == in_english
    assert written(name, AT, "zh-hans") == in_chinese
    assert written(name, None, "en") == dates.NOTHING


@pytest.mark.parametrize(
    ("name", "in_english", "in_chinese"),
    [
        ("moment", "23 Nov 2025, 01:05", "2025年11月23日 01:05"),
        ("moment_exact", "23 Nov 2025, 01:05:09", "2025年11月23日 01:05:09"),
        ("day", "23 Nov 2025", "2025年11月23日"),
        ("weekday", "Sun 23 Nov 2025", "2025年11月23日星期日"),
    ],
)
def test_another_year_is_named(name: str, in_english: str, in_chinese: str) -> None:
    last_year = AT.replace(year=2025)
    assert written(name, last_year, "en") == in_english
    assert written(name, last_year, "zh-hans") == in_chinese


def test_the_year_is_that_of_the_readers_zone() -> None:
    eve = datetime(2025, 12, 31, 17, 0, tzinfo=UTC)  # 2026 in Shanghai
    assert written("moment", eve, "en") == "1 Jan, 01:00"
    assert written("timezone:'UTC'|moment", eve, "en") == "31 Dec 2025, 17:00"


def test_days_and_times_of_day_have_no_zone() -> None:
    assert written("day", date(2026, 11, 22), "en") == "22 Nov"
    assert written("time", clock.time(22, 0), "en") == "22:00"


def test_djangos_own_names_say_the_year_always() -> None:
    assert written("date:'DATETIME_FORMAT'", AT, "en") == "23 Nov 2026, 01:05"
    assert written("date:'DATETIME_FORMAT'", AT, "zh-hans") == "2026年11月23日 01:05"


def test_both_languages_have_the_same_forms() -> None:
    names = {name for name in dir(english) if name.endswith("_FORMAT")}
    assert names == {name for name in dir(chinese) if name.endswith("_FORMAT")}


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_figures_are_grouped_as_the_browser_groups_them(language: str) -> None:
    with override(language):
        assert figure(1234567) == "1,234,567"
        assert decimal(1234.5) == "1,234.5"
