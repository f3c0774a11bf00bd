"""Durations as people type them: read, displayed, refused. A field's unit comes from its name."""

import pytest
from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import override
from hypothesis import given
from hypothesis import strategies as st

from poolsite.console.durations import (
    LONGEST,
    UNITS,
    DurationField,
    duration_words,
    read_duration,
    unit_of,
)
from poolsite.console.settings_forms import DurationsMixin

LANGUAGES = ["en", "zh-hans"]


class Example(DurationsMixin, forms.Form):
    """A form that declares nothing about durations."""

    lease_seconds = forms.IntegerField(label="Lease (seconds)", min_value=1, max_value=1_800)
    rest_hours = forms.IntegerField(required=False)
    per_second = forms.IntegerField(required=False)


@given(seconds=st.integers(0, LONGEST), language=st.sampled_from(LANGUAGES))
def test_what_is_said_reads_back_as_the_same_length(seconds: int, language: str) -> None:
    with override(language):
        text = duration_words(seconds)
        assert read_duration(text) == seconds
        assert duration_words(int(read_duration(text))) == text


@given(
    unit=st.sampled_from(list(UNITS.values())),
    data=st.data(),
    language=st.sampled_from(LANGUAGES),
)
def test_a_field_shows_its_number_so_that_it_takes_it_back(
    unit: int, data: st.DataObject, language: str
) -> None:
    field = DurationField(unit=unit)
    number = data.draw(st.integers(0, LONGEST // unit))
    with override(language):
        shown = field.prepare_value(number)
        assert field.clean(shown) == number
        assert not field.has_changed(number, shown)
        assert field.prepare_value(shown) == shown


@given(
    parts=st.dictionaries(
        st.sampled_from(["d", "H", "min", "s", "天", "小时", "分钟", "秒"]), st.integers(0, 999)
    ).filter(bool),
    blanks=st.sampled_from(["", " ", "  "]),
)
def test_units_add_up_however_they_are_spaced(parts: dict[str, int], blanks: str) -> None:
    sizes = {"d": 86_400, "H": 3_600, "min": 60, "s": 1}
    sizes |= {"天": 86_400, "小时": 3_600, "分钟": 60, "秒": 1}
    text = " ".join(f"{number}{blanks}{unit}" for unit, number in parts.items())
    assert read_duration(f" {text} ") == sum(sizes[unit] * n for unit, n in parts.items())


@given(text=st.text(max_size=60))
def test_any_text_is_a_length_or_an_error(text: str) -> None:
    field = DurationField(required=False)
    try:
        value = field.clean(text)
    except ValidationError:
        return
    assert value is None or 0 <= value <= LONGEST


@pytest.mark.parametrize(
    ("seconds", "english", "chinese"),
    [
        (0, "0 s", "0秒"),
        (90, "90 s", "90秒"),
        (1_800, "30 min", "30分钟"),
        (14_400, "4 h", "4小时"),
        (604_800, "7 d", "7天"),
    ],
)
def test_lengths_are_said_in_the_readers_language(seconds: int, english: str, chinese: str) -> None:
    assert duration_words(seconds) == english
    with override("zh-hans"):
        assert duration_words(seconds) == chinese


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2 h 30 min", 9_000),
        ("2h30m", 9_000),
        ("1.5 H", 5_400),
        ("2小时30分", 9_000),
        ("7 天", 604_800),
        ("９０　秒", 90),
        ("1 day, 2 hours", 93_600),
        ("0", 0),
    ],
)
def test_people_write_lengths_in_many_ways(text: str, seconds: int) -> None:
    assert read_duration(text) == seconds


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("90", "Add a unit, for example 90 s or 4 h."),
        ("soon", "Enter a duration, for example 90 s, 30 min or 4 h."),
        ("3 weeks", "Enter a duration, for example 90 s, 30 min or 4 h."),
        ("-5 s", "Enter a duration, for example 90 s, 30 min or 4 h."),
        ("1 h 5", "Enter a duration, for example 90 s, 30 min or 4 h."),
        ("9" * 41, "Enter a duration, for example 90 s, 30 min or 4 h."),
        ("1.5 s", "Use whole seconds."),
        ("0", "Use 1 s or more."),
        ("31 min", "Use 30 min or less."),
        ("", "This field is required."),
    ],
)
def test_an_error_says_what_to_type(text: str, words: str) -> None:
    form = Example({"lease_seconds": text})
    assert form.errors["lease_seconds"] == [words]


def test_a_forms_field_is_a_duration_by_the_unit_in_its_name() -> None:
    form = Example({"lease_seconds": "20 min", "rest_hours": "2 d", "per_second": "7"})
    assert form.is_valid()
    assert form.cleaned_data == {"lease_seconds": 1_200, "rest_hours": 48, "per_second": 7}
    assert form["lease_seconds"].label == "Lease"
    assert Example({"lease_seconds": "9 s", "rest_hours": "90 min"}).errors["rest_hours"] == [
        "Use whole hours."
    ]
    assert [unit_of(name) for name in ("a_days", "seconds", "ms", "per_second")] == [
        86_400,
        None,
        None,
        None,
    ]
