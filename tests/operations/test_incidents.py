"""Incidents: opened once, updated, closed automatically, acknowledged by name."""

import threading

import pytest
from django.db import connection
from django.utils.translation import gettext_lazy, override

from poolsite.access.models import Account, AuditEntry
from poolsite.operations import incidents
from poolsite.operations.models import Incident, Notice, NoticeTarget


def open_one(**more):
    texts = {"title": "Blocking is high", "detail": "4.1 %", "remedy": "Add numbers."}
    return incidents.open(
        **{"type": "numbers.blocking", "object": "east", "severity": "warning", **texts, **more}
    )


def test_an_incident_is_opened_once_and_brought_up_to_date(db):
    first = open_one()
    second = open_one(detail="5.0 %")
    assert first.pk == second.pk
    stored = Incident.objects.get()
    assert (stored.detail, stored.since) == ("5.0 %", first.since)


def test_an_unchanged_incident_costs_one_query(db, django_assert_num_queries):
    open_one()
    with django_assert_num_queries(1):
        open_one()
    with django_assert_num_queries(1):
        incidents.close(type="numbers.blocking", object="west")


def test_a_closed_incident_stays_as_history_and_a_new_one_begins(db):
    open_one()
    assert incidents.close(type="numbers.blocking", object="east") is True
    assert incidents.close(type="numbers.blocking", object="east") is False
    open_one()
    assert Incident.objects.count() == 2
    assert Incident.objects.filter(until=None).count() == 1


def test_an_unknown_severity_is_refused(db):
    with pytest.raises(ValueError, match="critical or warning"):
        open_one(severity="fatal")
    assert not Incident.objects.exists()


def test_of_many_checks_that_open_at_once_one_row_stays_open(transactional_db):
    start = threading.Barrier(6)
    failures = []

    def check():
        try:
            start.wait()
            open_one()
        except Exception as error:
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=check) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert Incident.objects.filter(until=None).count() == 1


def test_texts_are_kept_in_english_and_shown_in_the_readers_language(db):
    with override("zh-hans"):
        open_one(title=gettext_lazy("Incidents"), detail="%(n)s of 10", params={"n": 3})
    stored = Incident.objects.get()
    assert stored.title_text == "Incidents"
    assert stored.detail == "3 of 10"


def test_a_text_that_does_not_fit_its_values_is_shown_as_it_is(db):
    open_one(detail="100% of %(missing)s", params={"n": 1})
    assert Incident.objects.get().detail == "100% of %(missing)s"


def test_the_first_to_acknowledge_stays_and_is_audited_once(db, olga, django_user_model):
    incident = open_one()
    incidents.acknowledge(incident, actor=olga)
    other = django_user_model.objects.create_user("paul", password="a long password")
    incidents.acknowledge(incident, actor=other)
    incident.refresh_from_db()
    assert incident.acknowledged_name == "olga"
    assert AuditEntry.objects.filter(action="operations.acknowledge").count() == 1


def targets(**more):
    account = Account.objects.create(slug="retail", name="Retail")
    platform = NoticeTarget.objects.create(address="ops@example.org")
    own = NoticeTarget.objects.create(address="r@example.org", account=account)
    quiet = NoticeTarget.objects.create(address="boss@example.org", warnings=False)
    return account, platform, own, quiet


def test_an_accounts_incident_reaches_its_own_targets_and_the_platforms(db):
    account, platform, own, _ = targets()
    open_one(account=account)
    assert set(Notice.objects.values_list("target_id", flat=True)) == {platform.pk, own.pk}


def test_the_platforms_incident_does_not_reach_an_accounts_targets(db):
    _, platform, _, quiet = targets()
    open_one(severity="critical")
    assert set(Notice.objects.values_list("target_id", flat=True)) == {platform.pk, quiet.pk}


def test_who_wants_no_warnings_is_told_when_it_turns_critical_and_when_it_ends(db):
    *_, quiet = targets()
    open_one()
    assert not quiet.notices.exists()
    open_one(severity="critical")
    open_one(severity="critical")
    incidents.close(type="numbers.blocking", object="east")
    assert list(quiet.notices.order_by("pk").values_list("event", flat=True)) == [
        "worse",
        "closed",
    ]


def test_who_was_not_told_that_it_began_is_not_told_that_it_ended(db):
    *_, quiet = targets()
    open_one()
    incidents.close(type="numbers.blocking", object="east")
    assert not quiet.notices.exists()
