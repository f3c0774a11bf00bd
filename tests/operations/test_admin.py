"""The admin's lists of operations, with the same rights as every page."""

import pytest
from django.contrib import admin
from django.core import checks

from poolsite import dates, operations
from poolsite.access.models import AuditEntry
from poolsite.jobs.models import Job
from poolsite.operations.models import NoticeTarget
from queueing.admission.services import loading
from tests.access.world import World, make_world

admin.autodiscover()  # as poolsite.urls does


@pytest.fixture
def world(db) -> World:
    return make_world()


@pytest.mark.parametrize(
    "page",
    [
        "operations/noticetarget",
        "operations/incident",
        "operations/outgoingcall",
        "jobs/job",
        "history/gaprecord",
    ],
)
def test_the_admins_lists_open_for_an_operator(world, page):
    operations.incidents.open(type="t", object="o", severity="warning", title="x")
    Job.objects.create(kind="test.none", prefix="tst", actor=world.users["owner"])
    answer = world.client("operate").get(f"/admin/{page}/")
    assert answer.status_code == 200


def test_a_notice_target_is_made_and_deleted_in_the_admin_with_audit(world):
    client = world.client("operate")
    form = {"address": "ops@example.org", "warnings": "on", "active": "on"}
    assert client.post("/admin/operations/noticetarget/add/", form).status_code == 302
    target = NoticeTarget.objects.get()
    address = f"/admin/operations/noticetarget/{target.pk}"
    assert client.post(f"{address}/delete/", {"post": "yes"}).status_code == 302
    actions = AuditEntry.objects.filter(action__startswith="operations.target")
    assert set(actions.values_list("action", flat=True)) == {
        "operations.target_create",
        "operations.target_delete",
    }


def test_a_notice_target_with_a_nonsense_address_is_refused_in_the_admin(world):
    form = {"address": "gopher://x", "active": "on"}
    answer = world.client("operate").post("/admin/operations/noticetarget/add/", form)
    assert answer.status_code == 200
    assert not NoticeTarget.objects.exists()


def test_what_a_row_keeps_as_json_is_shown_as_labels_and_values(world):
    data = {
        "rows_read": 12_000,
        "since_us": 1_795_000_000_000_000,
        "name": "<b>list</b>",
        "parts": [{"ended_at": "2026-11-18T10:00:00+00:00"}, {"lease_seconds": 90}],
        "numbers": ["a", "b"],
        "none": [],
    }
    job = Job.objects.create(kind="test.none", prefix="tst", actor=world.users["owner"], data=data)
    page = world.client("operate").get(f"/admin/jobs/job/{job.pk}/change/").content.decode()
    for shown in (
        "<dt>Rows read</dt><dd>12,000</dd>",
        "<dt>Since</dt><dd>18 Nov",
        "<dd>&lt;b&gt;list&lt;/b&gt;</dd>",
        "<dt>Ended at</dt><dd>18 Nov",
        "<dt>Lease</dt><dd>1 min 30 s</dd>",
        "<dt>Numbers</dt><dd>a, b</dd>",
        f"<dt>None</dt><dd>{dates.NOTHING}</dd>",
    ):
        assert shown in page, shown


def test_an_audit_entry_keeps_its_values_as_the_audit_log_says_them(world):
    form = {"address": "ops@example.org", "warnings": "on", "active": "on"}
    client = world.client("operate")
    client.post("/admin/operations/noticetarget/add/", form)
    entry = AuditEntry.objects.get(action="operations.target_create")
    page = client.get(f"/admin/access/auditentry/{entry.pk}/change/").content.decode()
    assert "<dt>Address</dt><dd>ops@example.org</dd>" in page
    assert "&quot;address&quot;" not in page


def test_filters_offer_words_and_find_by_the_values_behind_them(world):
    for kind in (loading.LOAD, "test.none"):
        Job.objects.create(kind=kind, prefix="tst", actor=world.users["owner"])
    client = world.client("operate")
    page = client.get("/admin/jobs/job/").content.decode()
    assert f'href="?kind={loading.LOAD}" title="Loading a batch"' in page
    found = client.get(f"/admin/jobs/job/?kind={loading.LOAD}").context["cl"].result_list
    assert [job.kind for job in found] == [loading.LOAD]
    operations.incidents.open(type="t", object="o", severity="warning", title="x")
    for state, count in (("1", 1), ("0", 0)):
        answer = client.get(f"/admin/operations/incident/?open={state}")
        assert answer.context["cl"].result_count == count


def test_django_finds_nothing_wrong_with_any_page_of_the_admin() -> None:
    assert len(admin.site._registry) > 40
    assert checks.run_checks(tags=[checks.Tags.admin]) == []
