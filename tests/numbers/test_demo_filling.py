"""The demo's history is backfilled during live traffic, despite interruptions."""

import pytest

from numbers import demo
from numbers.demo_past import PAST_GENERATION
from numbers.models import CallRecord, MinuteSample, Pool
from tests.numbers.people import drain, make_pool, send

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


@pytest.fixture
def pool(monkeypatch) -> Pool:
    made = make_pool(numbers=20)
    plan = demo.DemoPool("east", "East", "", None, 20, 1, 15.0, 60.0)
    monkeypatch.setattr(demo, "POOLS", [plan])
    monkeypatch.setattr(demo, "PAST_BATCH", 100)
    send("east", "call", call_id="live")  # traffic has begun
    drain(made)
    MinuteSample.objects.create(pool=made, minute=made.created_at, generation=made.generation)
    return made


def past() -> list[tuple[int, str]]:
    rows = CallRecord.objects.filter(generation=PAST_GENERATION).order_by("started_at")
    return list(rows.values_list("pk", "number"))


def test_it_stands_before_what_happened_since_and_is_made_once(pool) -> None:
    demo.fill_past()
    made = past()
    keys = [key for key, _ in made]
    assert keys == sorted(keys)
    assert keys[-1] < CallRecord.objects.get(call_id="live").pk
    samples = MinuteSample.objects.filter(generation=PAST_GENERATION)
    assert samples.count() == 60
    assert samples.latest("minute").minute < pool.created_at
    samples_before = MinuteSample.objects.count()
    demo.fill_past()
    assert (past(), MinuteSample.objects.count()) == (made, samples_before)


def test_an_interruption_and_a_second_start_end_with_the_same_rows(pool, monkeypatch) -> None:
    demo.fill_past()
    whole = past()
    MinuteSample.objects.filter(generation=PAST_GENERATION).delete()
    CallRecord.objects.filter(pk__in=[key for key, _ in whole[150:]]).delete()
    demo.fill_past()
    assert past() == whole
