"""Quotes: the maximum over all modes that can result, by each sub-mode's counting rule."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from billing.money import LIMIT
from billing.pricing.content import Content
from billing.pricing.modes import MODES, ends_of
from billing.pricing.quotes import PriceError, quote
from billing.pricing.tariff import TariffError, read_prices, stored

RAW = {
    "native_text": {"unit_price": 800, "characters_per_unit": 70},
    "native_card": {"unit_price": 2_000, "kilobytes_per_unit": 50},
    "native_session": {"unit_price": 3_000},
    "yuexin_resolved": {"unit_price": 1_500},
    "yuexin_unresolved": {"unit_price": 450},
    "video": {"unit_price": 1_200, "kilobytes_per_unit": 100},
    "call": {"unit_price": 600},
}
PRICES = read_prices(RAW)


def test_yuexin_is_quoted_at_the_dearest_of_three_ends() -> None:
    content = Content(text="短" * 70, yuexin_text="短" * 200)  # 1 unit; 3 SMS
    made = quote(PRICES, 7, ends_of("text", "yuexin"), content)
    assert made.prices == {
        "native_text": 800,
        "yuexin_resolved": 1_500,
        "yuexin_unresolved": 1_350,
    }
    assert (made.quoted, made.tariff_id) == (1_500, 7)


def test_the_text_form_is_the_quote_when_it_is_long_enough() -> None:
    made = quote(PRICES, 7, ends_of("text", "yuexin"), Content("a", "短" * 300))  # 5 SMS
    assert made.quoted == 5 * 450 == made.prices["yuexin_unresolved"]


def test_video_is_quoted_against_the_native_kind() -> None:
    content = Content(text="x", card_kilobytes=51, video_kilobytes=301)
    made = quote(PRICES, 7, ends_of("card", "video"), content)
    assert made.prices == {"native_card": 4_000, "video": 4_800}
    assert made.quoted == 4_800


def test_every_other_mode_is_priced_too_for_a_report_that_nobody_expected() -> None:
    made = quote(PRICES, 7, ends_of("text", ""), Content(text="x", video_kilobytes=150))
    assert set(made.prices) | set(made.others) == set(MODES)
    assert made.others["video"] == 2_400


@pytest.mark.parametrize(
    ("content", "units"), [("", 1), ("a" * 70, 1), ("a" * 71, 2), ("短" * 140, 2)]
)
def test_characters_are_counted_in_begun_units(content: str, units: int) -> None:
    made = quote(PRICES, 7, ("native_text",), Content(text=content))
    assert made.quoted == units * 800


def test_a_mode_without_a_price_is_refused_as_no_tariff() -> None:
    with pytest.raises(PriceError, match="native_card") as refused:
        quote(read_prices({"video": {"unit_price": 1}}), 7, ("native_card", "video"), Content())
    assert refused.value.kind == "no-tariff"


def test_a_price_of_two_to_the_53_is_refused_not_rounded() -> None:
    prices = read_prices({"native_text": {"unit_price": LIMIT - 1, "characters_per_unit": 1}})
    assert quote(prices, 7, ("native_text",), Content(text="a")).quoted == LIMIT - 1
    with pytest.raises(PriceError, match="too large") as refused:
        quote(prices, 7, ("native_text",), Content(text="ab"))
    assert refused.value.kind == "malformed"


@given(
    st.text(max_size=400),
    st.text(max_size=400),
    st.integers(0, 10**6),
    st.sampled_from(["text", "card"]),
    st.sampled_from(["", "yuexin", "video"]),
)
def test_a_quote_is_an_exact_integer_and_no_end_costs_more(
    text: str, yuexin: str, kilobytes: int, native: str, fallback: str
) -> None:
    made = quote(PRICES, 1, ends_of(native, fallback), Content(text, yuexin, kilobytes, kilobytes))
    assert all(type(price) is int for price in (*made.prices.values(), *made.others.values()))
    assert made.quoted == max(made.prices.values())
    assert 0 < made.quoted < LIMIT


@pytest.mark.parametrize(
    "raw",
    [
        None,
        {},
        [],
        {"telegram": {"unit_price": 1}},
        {"video": 5},
        {"video": {}},
        {"video": {"unit_price": -1}},
        {"video": {"unit_price": 0.5}},
        {"video": {"unit_price": float("nan")}},
        {"video": {"unit_price": "1"}},
        {"video": {"unit_price": True}},
        {"video": {"unit_price": LIMIT}},
        {"video": {"unit_price": 1, "kilobytes_per_unit": -1}},
        {"video": {"unit_price": 1, "kilobytes_per_unit": 1, "characters_per_unit": 1}},
        {"video": {"unit_price": 1, "colour": 1}},
        {"call": {"unit_price": 1, "kilobytes_per_unit": 1}},
    ],
)
def test_prices_that_are_none_are_refused(raw: Any) -> None:
    with pytest.raises(TariffError):
        read_prices(raw)


def test_prices_are_stored_as_they_were_given() -> None:
    assert stored(PRICES) == RAW
