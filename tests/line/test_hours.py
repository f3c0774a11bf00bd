"""A queue opens and closes at the minute of its own zone, however the clocks change that night."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from poolsite import hotpath
from queueing.line import desk as commands
from queueing.line.forms.fields import hours_as_text, read_hours
from queueing.line.forms.routing import HolidaysForm
from queueing.line.models import Closure, Queue
from queueing.line.services import arrivals, desk_settings, desks, hours
from queueing.line.services.common import queue_settings
from tests.line.line_world import LineWorld, make_line

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
BERLIN = ZoneInfo("Europe/Berlin")
MINUTE = timedelta(minutes=1)
SECOND = timedelta(seconds=1)


@pytest.fixture
def line() -> LineWorld:
    return make_line()


def berlin(line: LineWorld, span: list[str]) -> Queue:
    """Return the queue with these hours on Sundays, in Berlin."""
    return desks.queue_configure(
        actor="test", queue=line.queue, zone="Europe/Berlin", hours={"6": [span]}
    )


def open_minutes(queue: Queue, begin: datetime, count: int) -> list[int]:
    """Return the minutes after `begin` at which it opens or closes."""
    states = [hours.is_open(queue, begin + minute * MINUTE) for minute in range(count)]
    return [minute for minute in range(1, count) if states[minute] != states[minute - 1]]


SPRING = datetime(2026, 3, 29, 0, tzinfo=UTC)  # at 01:00 UTC clocks go from 02:00 to 03:00
AUTUMN = datetime(2026, 10, 25, 0, tzinfo=UTC)  # at 01:00 UTC clocks go from 03:00 to 02:00


@pytest.mark.parametrize(
    ("night", "span", "turns"),
    [
        (SPRING, ["01:30", "03:30"], [30, 90]),  # an hour, not two
        (SPRING, ["02:30", "04:00"], [60, 120]),  # no 02:30 that day: when the clocks change
        (SPRING, ["01:30", "02:30"], [30, 60]),
        (SPRING, ["02:10", "02:50"], []),
        (AUTUMN, ["01:30", "03:30"], [150]),  # it has opened half an hour before midnight UTC
        (AUTUMN, ["02:30", "03:00"], [30, 120]),  # once, from the first 02:30
        (AUTUMN, ["02:15", "02:45"], [15, 45]),  # and not again an hour later
    ],
)
def test_a_night_on_which_clocks_change(
    line: LineWorld, night: datetime, span: list[str], turns: list[int]
) -> None:
    assert open_minutes(berlin(line, span), night, 240) == turns


def test_the_next_opening_is_the_moment_on_which_it_opens(line: LineWorld) -> None:
    queue = berlin(line, ["02:30", "04:00"])
    for day in (date(2026, 3, 28), date(2026, 10, 24), date(2026, 6, 6)):
        before = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
        opens = hours.next_opening(queue, before)
        assert opens is not None
        assert hours.is_open(queue, opens)
        assert not hours.is_open(queue, opens.astimezone(UTC) - SECOND)
    assert hours.next_opening(queue, datetime(2026, 3, 28, tzinfo=UTC)) == datetime(
        2026, 3, 29, 3, tzinfo=BERLIN
    )


def test_a_zone_of_its_own_moves_the_hours(line: LineWorld) -> None:
    week = {"2": [["09:00", "18:00"]]}
    queue = desks.queue_configure(actor="test", queue=line.queue, hours=week)
    nine = datetime(2026, 11, 25, 9, tzinfo=ZoneInfo("Asia/Shanghai"))  # a Wednesday
    assert [hours.is_open(queue, nine - SECOND), hours.is_open(queue, nine)] == [False, True]
    queue = desks.queue_configure(actor="test", queue=queue, zone="America/New_York")
    assert not hours.is_open(queue, nine)
    assert hours.is_open(queue, nine + timedelta(hours=13))
    answer = Client().get("/api/v1/queues/support-help").json()
    assert answer["zone"] == "America/New_York"
    with pytest.raises(ValidationError):
        desks.queue_configure(actor="test", queue=queue, zone="Mars/Olympus")


def test_hours_over_midnight_are_cut_when_stored_and_whole_when_read() -> None:
    spans = read_hours("09:00-12:00, 22:00-06:00", over_midnight=True)
    week = {"0": spans, "6": [["20:00", "00:00"]]}
    stored = hours.split_at_midnight(week)
    assert stored == {
        "0": [["09:00", "12:00"], ["22:00", "24:00"]],
        "1": [["00:00", "06:00"]],
        "6": [["20:00", "24:00"]],
    }
    shown = hours.join_at_midnight(stored)
    assert hours_as_text(shown["0"]) == "09:00-12:00, 22:00-06:00"
    assert hours.split_at_midnight(shown) == stored
    nights = {str(day): [["22:00", "02:00"]] for day in range(7)}
    assert hours.join_at_midnight(hours.split_at_midnight(nights)) == nights
    whole = {str(day): [["00:00", "24:00"]] for day in range(7)}
    assert hours.join_at_midnight(whole) == whole
    for wrong in ("22:00-25:00", "9:00-9:00", "22:00-06:99"):
        with pytest.raises(ValidationError):
            read_hours(wrong, over_midnight=True)
    with pytest.raises(ValidationError):
        read_hours("22:00-06:00")


def test_a_holiday_of_every_year_and_a_day_of_its_own(line: LineWorld) -> None:
    queue = line.queue
    form = HolidaysForm(
        {"days": "2026-12-24 09:00-14:00 Christmas Eve\n2026-12-25 Christmas", "yearly": "on"},
        desk=line.desk,
    )
    assert form.is_valid(), form.errors
    days = form.cleaned_data["days"]
    count = desk_settings.closures_import(
        actor="test", queues=form.queues(), days=days, yearly=form.cleaned_data["yearly"]
    )
    assert count == 2
    assert hours.spans_of(queue, date(2031, 12, 25)) == []
    assert hours.spans_of(queue, date(2031, 12, 26)) is None
    eve = hours.spans_of(queue, date(2027, 12, 24))
    assert eve is not None
    assert [end.hour for _begin, end in eve] == [14]
    desk_settings.closure_save(actor="test", queue=queue, day=date(2027, 12, 25), spans=[])
    desk_settings.closure_save(
        actor="test", queue=queue, day=date(2028, 12, 25), spans=[["10:00", "12:00"]]
    )
    assert len(hours.spans_of(queue, date(2028, 12, 25)) or []) == 1
    assert Closure.objects.get(day=date(2026, 12, 24)).text == "Christmas Eve"
    for wrong in ("2026-02-30 x", "Christmas", "2026-12-24 9:00-8:00 x"):
        assert not HolidaysForm({"days": wrong}, desk=line.desk).is_valid(), wrong


def test_who_comes_in_the_minute_of_opening_is_let_in_before_a_sweep(line: LineWorld) -> None:
    """The desk in Redis still has the queue closed: visitors need not wait for a worker."""
    closed = queue_settings(line.queue, is_open=False)
    hotpath.run(commands.queue_write(line.desk.slug, line.queue.pk, closed, log_limit=1_000_000))
    assert hotpath.run(commands.join(line.desk.slug, "directly1", line.queue.pk)).answer == "closed"
    joined = arrivals.visitor_arrive(queue=line.queue, coming=arrivals.Arriving(name="Ann"))
    assert joined.standing.answer == "waiting"
