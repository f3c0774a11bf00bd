"""Our own database functions, on the database of this run, compared with Python's results."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db.models import Avg
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from poolsite.operations.models import Incident
from poolsite.sql_functions import Elapsed

pytestmark = pytest.mark.django_db

FIRST = datetime(2026, 11, 23, 8, 30, tzinfo=UTC)
CENTURY = timedelta(days=36_525)
ANY = st.timedeltas(-CENTURY, CENTURY).map(lambda since: FIRST + since)
MOMENTS = ANY | ANY.map(lambda at: at.replace(microsecond=0))


def incident(since: datetime, until: datetime | None, kind: str = "any") -> Incident:
    return Incident.objects.create(type=kind, object=kind, severity="low", since=since, until=until)


@settings(suppress_health_check=list(HealthCheck), deadline=None)
@given(begin=MOMENTS, end=MOMENTS)
@example(begin=FIRST, end=FIRST.replace(microsecond=999_500))
def test_elapsed_is_exact_to_the_microsecond_and_negative_when_turned_round(begin, end):
    row = incident(begin, end)
    found = Incident.objects.annotate(took=Elapsed("since", "until")).get(pk=row.pk)
    assert found.took == end - begin
    longer = Incident.objects.alias(took=Elapsed("since", "until")).filter(
        pk=row.pk, took__lte=end - begin
    )
    assert longer.exists()
    row.delete()


def test_elapsed_is_null_without_both_moments_and_goes_into_a_mean():
    incident(FIRST, None, "open")
    incident(FIRST, FIRST + timedelta(seconds=1, microseconds=500_000), "short")
    incident(FIRST + timedelta(microseconds=250_000), FIRST + timedelta(seconds=2), "long")
    took = Incident.objects.annotate(took=Elapsed("since", "until"))
    assert took.get(type="open").took is None
    mean = Incident.objects.aggregate(mean=Avg(Elapsed("since", "until")))["mean"]
    assert mean == timedelta(microseconds=1_625_000)
