"""Numbers in one format, and quiet hours, in which no message is sent."""

from datetime import UTC, datetime, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from billing.campaigns.quiet import QuietHours
from billing.campaigns.reach import reach


@pytest.mark.parametrize(
    ("text", "number", "why"),
    [
        ("13800130000", "+8613800130000", ""),
        ("+86 138 0013 0000", "+8613800130000", ""),
        ("8613800130000", "+8613800130000", ""),
        ("008613800130000", "+8613800130000", ""),
        ("１３８００１３００００", "+8613800130000", ""),
        ("+44 20 7946 0018", "+442079460018", ""),
        ("", "", "empty"),
        ("12", "", "unreachable"),
        ("+999999999999", "", "unreachable"),
        ("call me", "", "not_a_number"),
        ("9" * 33, "", "too_long"),
        ("=1+1", "", "not_a_number"),
        ("13800130000.0", "", "not_a_number"),
        ("13800130000–09", "", "not_a_number"),
        ("+49 (0)30 1234567", "", "not_a_number"),
        ("0000", "", "unreachable"),
    ],
)
def test_a_text_is_one_number_or_a_reason(text: str, number: str, why: str) -> None:
    found = reach(text)
    assert (found.number, found.why) == (number, why)


@given(st.text(max_size=40))
def test_whatever_is_typed_ends_in_a_number_or_a_reason(text: str) -> None:
    found = reach(text)
    assert bool(found.number) != bool(found.why)
    assert not found.number or reach(found.number) == found


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("now", "end"),
    [
        ("2026-11-21T13:00:00", "2026-11-22T00:00:00"),  # 21:00 in Shanghai
        ("2026-11-21T12:59:59", None),
        ("2026-11-21T20:00:00", "2026-11-22T00:00:00"),  # 04:00 of the next day
        ("2026-11-21T23:59:59", "2026-11-22T00:00:00"),
        ("2026-11-22T00:00:00", None),
    ],
)
def test_quiet_hours_go_over_midnight_in_the_account_s_zone(now: str, end: str | None) -> None:
    hours = QuietHours(time(21), time(8), "Asia/Shanghai")
    assert hours.end(at(now)) == (at(end) if end else None)


def test_quiet_hours_of_one_day_and_none() -> None:
    noon = QuietHours(time(12), time(14), "Europe/Berlin")
    assert noon.end(at("2026-07-01T10:00:00")) == at("2026-07-01T12:00:00")
    assert noon.end(at("2026-07-01T12:00:00")) is None
    assert QuietHours(None, None, "UTC").end(at("2026-07-01T12:00:00")) is None
    assert QuietHours(time(9), time(9), "UTC").end(at("2026-07-01T09:00:00")) is None


def test_the_clocks_going_forward_cannot_hold_a_campaign_for_ever() -> None:
    hours = QuietHours(time(1), time(2, 30), "Europe/Berlin")  # 02:30 is skipped that day
    end = hours.end(at("2026-03-29T00:30:00"))
    assert end is not None
    assert hours.end(end) is None
