"""The admin's lists of operations, by the same rights as every page."""

import pytest
from django.contrib import admin
from django.core import checks

from poolsite import operations
from poolsite.access.models import AuditEntry
from poolsite.jobs.models import Job
from poolsite.operations.models import NoticeTarget
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


def test_a_notice_target_is_made_and_deleted_in_the_admin_with_audit_and_without_its_secret(world):
    client = world.client("operate")
    form = {"channel": "email", "address": "ops@example.org", "warnings": "on", "active": "on"}
    assert client.post("/admin/operations/noticetarget/add/", form).status_code == 302
    target = NoticeTarget.objects.get()
    address = f"/admin/operations/noticetarget/{target.pk}"
    assert target.secret in client.get(f"{address}/change/").content.decode()
    assert target.secret not in world.client("looker").get(f"{address}/change/").content.decode()
    assert client.post(f"{address}/delete/", {"post": "yes"}).status_code == 302
    actions = AuditEntry.objects.filter(action__startswith="operations.target")
    assert set(actions.values_list("action", flat=True)) == {
        "operations.target_create",
        "operations.target_delete",
    }
    assert target.secret not in str(list(actions.values_list("before", "after")))


def test_a_notice_target_with_a_nonsense_address_is_refused_in_the_admin(world):
    form = {"channel": "webhook", "address": "gopher://x", "active": "on"}
    answer = world.client("operate").post("/admin/operations/noticetarget/add/", form)
    assert answer.status_code == 200
    assert not NoticeTarget.objects.exists()


def test_django_finds_nothing_wrong_with_any_page_of_the_admin() -> None:
    assert len(admin.site._registry) > 40
    assert checks.run_checks(tags=[checks.Tags.admin]) == []
