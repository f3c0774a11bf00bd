"""What a call costs SQL: two events and one record, and the writes of all their indexes."""

from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from numbers.models import CallRecord, PoolEvent
from numbers.services.history_source import POOL_HISTORY
from poolsite.history import retention
from tests.numbers.people import drain, make_pool, send

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

RECORD = {
    "numbers_call_once",
    "numbers_call_number",
    "numbers_call_callee",
    "numbers_call_agent",
    "numbers_call_id",
    "numbers_call_open",
    "numbers_call_pool",
}
EVENT = {"numbers_poolevent_once", "numbers_event_number"}


@pytest.mark.parametrize(("model", "names"), [(CallRecord, RECORD), (PoolEvent, EVENT)])
def test_no_index_is_written_for_each_call_that_no_query_needs(model, names) -> None:
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, model._meta.db_table)
    indexed = [name for name, what in found.items() if what["index"] or what["unique"]]
    by_us = {name for name in indexed if not found[name]["primary_key"]}
    assert by_us == names


def test_a_call_that_runs_outlives_the_time_for_which_calls_are_kept(monkeypatch) -> None:
    pool = make_pool(numbers=2)
    for call in ("one", "two"):
        send(pool.slug, "call", call_id=call)
    send(pool.slug, "hangup", call_id="one")
    drain(pool)
    long_ago = timezone.now() - timedelta(days=400)
    CallRecord.objects.update(started_at=long_ago)
    CallRecord.objects.exclude(ended_at=None).update(ended_at=long_ago)
    monkeypatch.setattr(retention, "sources", lambda: [POOL_HISTORY])
    assert retention.delete_expired()["rows"] == 1
    assert CallRecord.objects.get().call_id == "two"
