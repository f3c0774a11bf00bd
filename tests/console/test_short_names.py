"""Short names are made from names. One that a person typed stays as it is."""

import re

import pytest
from django import forms
from hypothesis import given
from hypothesis import strategies as st

from poolsite.console.short_names import ShortNameMixin, short_name


class Example(ShortNameMixin, forms.Form):
    """A form whose short name is the first field of the class."""

    slug = forms.SlugField(max_length=10)
    note = forms.CharField(required=False)
    name = forms.CharField()


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("Billing questions", "billing-questions"),
        ("  Sales, überall 2! ", "sales-uberall-2"),
        ("计费", ""),
        ("计费 2", ""),
        ("–", ""),
    ],
)
def test_a_short_name_is_made_of_the_name(name: str, made: str) -> None:
    assert short_name(name) == made


@given(name=st.text(), length=st.integers(1, 40))
def test_what_is_made_is_always_a_short_name(name: str, length: int) -> None:
    made = short_name(name, length)
    assert re.fullmatch(r"([a-z0-9]+(-[a-z0-9]+)*)?", made)
    assert len(made) <= length


def test_a_form_makes_it_when_it_is_left_empty_and_keeps_what_was_typed() -> None:
    assert list(Example().fields) == ["note", "name", "slug"]
    made = Example({"name": "Night desk at the harbour", "slug": ""})
    assert made.is_valid()
    assert made.cleaned_data["slug"] == "night-desk"
    typed = Example({"name": "Night desk", "slug": "nights"})
    assert typed.is_valid()
    assert typed.cleaned_data["slug"] == "nights"


def test_a_name_that_makes_none_asks_for_one() -> None:
    form = Example({"name": "夜班", "slug": ""})
    assert form.errors == {"slug": ["Enter a short name. It can't be made from this name."]}
    assert list(Example({"name": "", "slug": ""}).errors) == ["name"]
