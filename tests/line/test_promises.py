"""The ranges that visitors were given against their waits, as the pages show them."""

from datetime import timedelta

import pytest
from django.utils import timezone

from poolsite import hotpath
from queueing.line import desk as commands
from queueing.line.models import Visit
from queueing.line.selectors import consoles, wallboard
from queueing.line.selectors.promises import ENOUGH, Promises, promises_of
from queueing.line.services import estimates, visits
from tests.line.line_world import LineWorld, fresh_line

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


@pytest.fixture
def line() -> LineWorld:
    return fresh_line()


def past(
    line: LineWorld, number: int, waited: float, low: int | None = 30, high: int = 60
) -> Visit:
    """Write a visit that was given a range, waited, and was served for a minute."""
    joined = timezone.now() - timedelta(hours=1)
    return Visit.objects.create(
        public_id=f"past{number:08d}",
        desk=line.desk,
        queue=line.queue,
        joined_at=joined,
        predicted_low_seconds=low,
        predicted_high_seconds=None if low is None else high,
        matched_at=joined + timedelta(seconds=waited),
        ended_at=joined + timedelta(seconds=waited + 60),
        outcome="served",
    )


def test_the_share_of_true_promises_is_counted_and_shown(line: LineWorld) -> None:
    for number, waited in enumerate([10, 20, 30, 40, 50, 60, 61, 90, 5, 59]):
        past(line, number, waited)
    past(line, 10, 500, low=None)  # was given no range
    assert promises_of(line.queue) == Promises(of=10, inside=5, sooner=3)
    assert consoles.queue_out(line.queue)["promises"] == {"inside": 5, "of": 10}
    board = wallboard.board(line.desk)
    assert board["queues"][0]["promises"] == {"of": 10, "inside": 5, "sooner": 3}


def test_who_gave_up_or_waits_after_the_end_of_the_range_is_a_miss(line: LineWorld) -> None:
    for number in range(8):
        past(line, number, 45)
    for number, waited in enumerate((10, 60, 61, 300), 8):  # the first two show nothing
        gone = past(line, number, waited)
        gone.matched_at, gone.ended_at, gone.outcome = None, gone.matched_at, "left"
        gone.save()
    waiting = past(line, 12, 0)
    waiting.matched_at = waiting.ended_at = None
    waiting.save()
    assert promises_of(line.queue) == Promises(of=11, inside=8, sooner=0)


def test_too_few_promises_say_nothing(line: LineWorld) -> None:
    for number in range(ENOUGH - 1):
        past(line, number, 10)
    assert consoles.queue_out(line.queue)["promises"] is None
    assert wallboard.board(line.desk)["queues"][0]["promises"] is None


def test_a_join_writes_down_what_the_visitor_was_told_once_the_data_suffice(
    line: LineWorld,
) -> None:
    line.agent("li", online=True)
    assert visits.visit_join(queue=line.queue).standing.answer == "room"
    silent = visits.visit_join(queue=line.queue).visit
    assert silent.predicted_high_seconds is None
    for number in range(estimates.ENOUGH):
        past(line, number, 10)
    estimates._KNOWN.clear()
    joined = visits.visit_join(queue=line.queue)
    assert joined.estimate == estimates.wait_range(2, 60.0)
    row = Visit.objects.get(public_id=joined.visit.public_id)
    assert (row.predicted_low_seconds, row.predicted_high_seconds) == (
        joined.estimate.low_seconds,
        joined.estimate.high_seconds,
    )
    hotpath.run(commands.log_out_now(line.desk.slug, line.desk.agents.get().user_id, "gone"))
    estimates._KNOWN.clear()
    assert visits.visit_join(queue=line.queue).estimate is None  # no agent serves
