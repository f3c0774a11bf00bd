"""Call rates against a plain model: prefixes, times of day, increments, rounding, files."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from billing.pricing.call_codes import code_of, interval_of, rate_of, seconds_of
from billing.pricing.calls import DAY, Rate, RateTable, cost_of, rated
from billing.pricing.rate_rows import (
    HEAD,
    RateError,
    check_rates,
    clashes,
    file_of,
    read_rate,
    read_rate_file,
    read_row,
)
from billing.wallet import MessageState
from tests.billing.pricing import call_rate_model as model

WORKDAYS = 0b1_1111
HEADS = ",".join(HEAD)


@given(st.lists(model.rates | model.always, max_size=8), model.callees, model.moments)
def test_the_longest_prefix_counts_then_the_time(
    rates: list[Rate], callee: str, local: datetime
) -> None:
    rates = [rate for place, rate in enumerate(rates) if place not in dict(clashes(rates))]
    assert RateTable(rates).find(callee, local) == model.found(rates, callee, local)


def test_a_longer_prefix_without_a_rate_now_is_not_helped_out_by_a_shorter() -> None:
    night = Rate("+4917", "Germany mobile", 9, from_minute=0, until_minute=480)
    table = RateTable([Rate("+49", "Germany", 5), night])
    assert table.find("+49170123", datetime(2026, 3, 2, 7, 59, tzinfo=UTC)) == night
    assert table.find("+49170123", datetime(2026, 3, 2, 8, 0, tzinfo=UTC)) is None


def test_times_are_those_of_the_account_s_clocks_also_when_they_change() -> None:
    zone = ZoneInfo("Europe/Berlin")
    day = Rate("", "Day", 9, from_minute=180, until_minute=240)
    table = RateTable([day, Rate("", "Else", 5)])

    def name(at: datetime) -> str:
        rate = table.find("+1", at.astimezone(zone))
        assert rate is not None
        return rate.destination

    # Clocks go from 02:00 to 03:00, and in autumn from 03:00 back to 02:00.
    assert name(datetime(2026, 3, 29, 0, 59, tzinfo=UTC)) == "Else"
    assert name(datetime(2026, 3, 29, 1, 0, tzinfo=UTC)) == "Day"
    assert name(datetime(2026, 3, 29, 2, 0, tzinfo=UTC)) == "Else"
    assert name(datetime(2026, 10, 25, 1, 59, tzinfo=UTC)) == "Else"
    assert name(datetime(2026, 10, 25, 2, 0, tzinfo=UTC)) == "Day"


def test_a_time_past_midnight_belongs_to_the_day_it_began_on() -> None:
    rate = Rate("", "Night", 9, days=1 << 4, from_minute=1_320, until_minute=360)
    friday = datetime(2026, 3, 6, 22, tzinfo=UTC)
    assert [rate.holds(friday + timedelta(hours=hours)) for hours in (-1, 0, 7, 8, 24)] == [
        *(False, True, True, False, False)
    ]
    sunday = Rate("", "Night", 9, days=1 << 6, from_minute=1_320, until_minute=360)
    assert list(sunday.minutes()) == [(6 * DAY + 1_320, 7 * DAY), (0, 360)]


@given(model.rates, st.integers(0, 600_000_000), st.integers(1, 130))
def test_the_intervals_of_a_call_are_charged_for_as_many_seconds_as_the_call(
    rate: Rate, used_us: int, interval: int
) -> None:
    """For any length of the pool's interval. Each interval is held in full before."""
    starts, number, charged, units = 0, 1, 0, 0
    while number == 1 or starts * 1_000_000 < used_us:
        held = rated(1, rate, number, starts, interval)
        cost = cost_of(rate, held, used_us - starts * 1_000_000)
        assert held.seconds >= interval
        assert 0 <= cost.units <= held.price
        assert cost.seconds <= held.seconds
        assert cost.units == model.amount(rate, cost.seconds) + rate.fee * (number == 1)
        charged, units = charged + cost.seconds, units + cost.units
        if not held.comes_back:
            assert cost == held.full
        starts, number = held.ends, number + 1
    assert charged == model.seconds(rate, used_us)
    exact = model.amount(rate, charged) + rate.fee
    assert abs(units - exact) <= number  # each interval is rounded once


def test_the_example_of_the_documentation() -> None:
    rate = Rate("+4917", "Germany mobile", 1_200, 60, 1)
    first, second = rated(1, rate, 1, 0, 60), rated(1, rate, 2, 60, 60)
    assert (first.price, second.price) == (1_200, 1_200)
    assert (first.comes_back, second.comes_back) == (False, True)
    cost = cost_of(rate, second, 12_000_001)
    assert (cost.seconds, first.price + cost.units) == (13, 1_460)


@given(model.rates, st.integers(1, 500), st.integers(0, 9_999_999), st.integers(1, 86_400))
def test_a_hold_s_code_tells_its_interval(
    rate: Rate, number: int, starts: int, interval: int
) -> None:
    held = rated(7, rate, number, starts, interval)
    code = code_of(held)
    assert len(code) <= 32
    assert (rate_of(code), seconds_of(code)) == (rate.rate_id, held.seconds)
    state = MessageState(
        *("east/a/1.ab", "sent", "call", 1, held.price),
        body_hash=code,
        tariff_id=7,
        prices={"call": held.price},
    )
    assert interval_of(state, number) == held


def test_a_hold_of_the_release_before_tells_none() -> None:
    state = MessageState("east/a/1.ab", "sent", "call", 1, 600, body_hash="call", tariff_id=7)
    assert interval_of(state, 1) is None
    assert interval_of(None, 1) is None
    assert (rate_of("call"), seconds_of("call")) == (None, 0)


# -- files ---------------------------------------------------------------------------------------


@given(st.lists(model.rates | model.always, min_size=1, max_size=6))
def test_a_file_reads_as_the_rates_that_it_was_made_of(rates: list[Rate]) -> None:
    rates = [rate for place, rate in enumerate(rates) if place not in dict(clashes(rates))]
    rates = [rate for rate in rates if rate.prefix != "+"]
    if rates:
        assert list(read_rate_file(file_of(rates)).rates) == rates


@given(st.lists(model.rates | model.always, max_size=6))
def test_two_rates_clash_when_both_would_hold_at_one_time(rates: list[Rate]) -> None:
    monday = datetime(2026, 3, 2, tzinfo=UTC)
    week = [monday + timedelta(minutes=minute) for minute in range(0, 7 * DAY, 60)]
    edges = [moment + timedelta(minutes=minute) for moment in week for minute in (0, 1, 59)]
    by_prefix: dict[str, list[Rate]] = {}
    for rate in rates:
        by_prefix.setdefault(rate.prefix, []).append(rate)
    clash = any(
        sum(model.holds(rate, local) for rate in own if not rate.is_always) > 1
        for own in by_prefix.values()
        for local in edges
    ) or any(sum(rate.is_always for rate in own) > 1 for own in by_prefix.values())
    assert bool(list(clashes(rates))) == clash
    if clash:
        with pytest.raises(RateError):
            check_rates(rates)


def test_what_is_wrong_is_said_by_line() -> None:
    text = (
        f"{HEADS}\n"
        "+49,Germany,,,,0.10,60,60,\n"
        "\n"
        "49x,Germany,,,,0.10,60,60,\n"
        "+43,,,,,0.10,60,60,\n"
        "+43,Austria,weekdays,,,0.10,60,60,\n"
        "+43,Austria,,25:00,,0.10,60,60,\n"
        "+43,Austria,,08:00,08:00,0.10,60,60,\n"
        "+43,Austria,,,,,60,60,\n"
        "+43,Austria,,,,-1,60,60,\n"
        "+43,Austria,,,,0.00001,60,60,\n"
        "+43,Austria,,,,0.10,0,60,\n"
        "+43,Austria,,,,0.10,60,3601,\n"
        "+43,Austria,,,\n"
        "+49,Germany again,,,,0.20,60,60,\n"
    )
    found = read_rate_file(text)
    assert found.rates == ()
    assert [fault.line for fault in found.faults] == list(range(4, 16))
    assert "columns" in found.faults[-2].text
    assert "already has a rate" in found.faults[-1].text


@pytest.mark.parametrize("increment", ["0", "3601", "000000011234567", "²", "1.5"])
def test_an_increment_is_from_a_second_to_an_hour(increment: str) -> None:
    given = {"prefix": "49", "destination": "Germany", "price_per_minute": "1"}
    assert read_rate(given | {"increment": "3600"}).increment == 3_600
    with pytest.raises(RateError, match=r"from 1 to 3,600"):
        read_rate(given | {"increment": increment})


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 0),
        (HEADS, 0),
        (f'{HEADS}\n+49,"Germany,,,,0.1,60,60,\n', 2),
        (f"{HEADS}\n" + "+49,x\n" * 200_000, 0),
    ],
)
def test_a_file_without_rates_says_so(text: str, line: int) -> None:
    found = read_rate_file(text)
    assert (found.rates, found.faults[0].line) == ((), line)


def test_a_faulty_file_lists_its_first_hundred_errors() -> None:
    found = read_rate_file(f"{HEADS}\n" + "+49,x\n" * 300)
    assert (len(found.faults), found.faults_count) == (100, 300)


@pytest.mark.parametrize(
    ("given", "prefix"),
    [("+49", "+49"), ("0049", "+49"), ("+49 (17)", "+4917"), ("110", "110"), ("", "")],
)
def test_prefixes_are_written_like_numbers(given: str, prefix: str) -> None:
    assert read_row([given, "x", "", "", "", "1", "", "", ""]).prefix == prefix


def test_prefixes_of_a_list_without_signs_can_be_international() -> None:
    cells = ["4917", "Germany mobile", "Mon-Fri Sun", "8:00", "18:00", "0.12", "60", "1", "0.05"]
    rate = read_row(cells, international=True)
    assert rate == Rate("+4917", "Germany mobile", 1_200, 60, 1, 500, WORKDAYS | 1 << 6, 480, 1_080)


def test_a_prefix_has_a_bounded_number_of_times() -> None:
    rates = [
        Rate("+49", "x", 1, from_minute=minute, until_minute=minute + 1) for minute in range(51)
    ]
    assert [place for place, _ in clashes(rates)] == [50]
