"""A queue under its service level raises an alarm; a single visitor who gives up does not."""

from datetime import timedelta

import pytest
from django.utils import timezone

from poolsite.operations.models import Incident
from queueing.line.services import desks, service_levels
from tests.line.line_world import LineWorld, make_line
from tests.line.past import past_visit

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


@pytest.fixture
def line() -> LineWorld:
    return make_line(answer_within_seconds=20, service_level_alarm_percent=80)


def visits(line: LineWorld, number: int, wait: int, minutes_ago: float = 10) -> None:
    agent = line.desk.agents.first()
    for _ in range(number):
        at = timezone.now() - timedelta(minutes=minutes_ago)
        past_visit(line.queue, at, wait=wait, agent=agent, room=30)


def open_incidents() -> list[tuple[str, dict[str, object]]]:
    rows = Incident.objects.filter(type="line.level", until=None)
    return [(row.object, row.params) for row in rows]


def test_a_low_level_opens_an_incident_and_a_better_one_closes_it(line: LineWorld) -> None:
    line.agent("ann")
    visits(line, 16, wait=5)
    visits(line, 4, wait=60)
    assert service_levels.check_levels() == {"low": 0}
    visits(line, 1, wait=60)
    assert service_levels.check_levels() == {"low": 1}
    said = {"queue": "Help", "level": 76, "goal": 80, "within": 20}
    assert open_incidents() == [("support-help", said)]
    assert service_levels.check_levels() == {"low": 1}
    assert Incident.objects.count() == 1
    desks.queue_configure(actor="test", queue=line.queue, service_level_alarm_percent=70)
    assert service_levels.check_levels() == {"low": 0}
    assert open_incidents() == []


def test_fewer_than_twenty_visitors_raise_no_alarm(line: LineWorld) -> None:
    line.agent("ann")
    visits(line, 19, wait=60)
    assert service_levels.check_levels() == {"low": 0}
    visits(line, 1, wait=60)
    assert service_levels.check_levels() == {"low": 1}


def test_what_is_longer_ago_than_an_hour_raises_none(line: LineWorld) -> None:
    line.agent("ann")
    visits(line, 40, wait=60, minutes_ago=61)
    assert service_levels.check_levels() == {"low": 0}
    assert open_incidents() == []
