"""Ejection, backups and retries on every interface: pages, API, command line, metrics."""

import io
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.utils import translation

from poolsite import hotpath
from poolsite.access.models import Account, AuditEntry, Grant, User
from queueing.dispatch import dispatcher as commands
from queueing.dispatch import overview, selectors, services
from queueing.dispatch.models import DispatchEvent, Group, Instance
from queueing.dispatch.services.upgrading.load import backs, lacking
from tests.dispatch.people import SLUG, Peer, back, drain, front, make_group, row_of, show

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

PAGE, API = f"/groups/{SLUG}/", f"/api/v1/groups/{SLUG}"
QUICK = {"failure_threshold_percent": 50, "failure_minimum_sessions": 1}


@pytest.fixture
def group() -> Group:
    """A group in which one failed session ejects an instance."""
    return make_group(account=Account.objects.create(slug="evergreen", name="Evergreen"), **QUICK)


@pytest.fixture
def browser() -> Client:
    user = User.objects.create_user("op", is_operator=True)
    Grant.objects.create(user=user, name="operate")
    client = Client()
    client.force_login(user)
    return client


def eject(name: str = "as-1") -> Peer:
    """Return an instance that fails its first session, while another could take its place."""
    bad, caller = back(name), front()
    session = caller.start("1")
    back("as-2")
    assert bad.end(session, failed=True).outcome == "routed"
    assert row_of(name).ejected_until_us is not None
    return caller


def post(client: Client, path: str, **body: Any) -> int:
    answer = client.post(f"{API}{path}", body, content_type="application/json")
    return int(answer.status_code)


def run(*words: str) -> str:
    out = io.StringIO()
    call_command("dispatch", *words, stdout=out)
    return out.getvalue()


def test_an_ejection_is_seen_everywhere_and_ended_by_the_api(group: Group, browser: Client) -> None:
    caller = eject()
    session = caller.start("2")
    told = {row["name"]: row for row in browser.get(f"{API}/instances").json()}
    assert told["as-1"]["ejected_until_us"] == row_of("as-1").ejected_until_us
    assert (told["as-1"]["judged"], told["as-1"]["failed"]) == (1, 1)
    assert told["as-1"]["manual"] == "open"
    assert "Ejected" in browser.get(f"{PAGE}sessions/?peer=b:{told['as-1']['id']}").content.decode()
    assert "ejected until" in run("show", SLUG)
    assert show().ejected == 1
    samples = {
        (sample.labels["what"], sample.value)
        for metric in overview.collect()
        for sample in metric.samples
        if sample.name == "poolsite_dispatch_level"
    }
    assert {("ready", 1), ("ejected", 1)} <= samples
    rows = backs(hotpath.run(commands.peers(SLUG)))
    assert (lacking(rows, "as-1"), lacking(rows, "as-2")) == (0, 2)  # no other instance has room
    explained = browser.get(f"{API}/sessions/explain?session={session}").json()
    assert (explained["instance"], explained["back_ejected_until_us"]) == ("as-2", None)
    assert post(browser, "/instances/as-1/uneject", reason="repaired") == 204
    assert post(browser, "/instances/as-1/uneject", reason="again") == 409
    assert post(browser, "/instances/nobody/uneject", reason="why") == 404
    assert row_of("as-1").ejected_until_us is None
    drain(group)
    story = selectors.story_lines(list(selectors.story(group)))
    words = {line.word: line for line in story}
    assert words["Ejected"].reason == "1 of 1 session failed"
    with translation.override("zh-hans"):
        lines = selectors.story_lines(list(selectors.story(group)))
        assert "1个会话中有1个失败" in [line.reason for line in lines]
        log = browser.get(f"{PAGE}events/", headers={"accept-language": "zh-hans"})
        assert "1个会话中有1个失败" in log.content.decode()
    assert words["Ejection ended"].reason == "Repaired"
    assert DispatchEvent.objects.get(event="ejected").count == 1


def test_an_ejection_is_ended_by_page_and_command(group: Group, browser: Client) -> None:
    eject()
    data = {"verb": "uneject", "name": "as-1", "reason": "repaired"}
    page = browser.post(f"{PAGE}act/", data, follow=True)
    assert "Ejection of as-1 ended." in page.content.decode()
    assert row_of("as-1").ejected_until_us is None
    assert AuditEntry.objects.filter(action="dispatch.instance_uneject").count() == 1
    with pytest.raises(CommandError, match="not ejected"):
        run("uneject", SLUG, "as-1", "--reason", "why")


def test_a_backup_is_made_by_api_page_and_command_and_is_kept(
    group: Group, browser: Client
) -> None:
    back("as-1")
    assert post(browser, "/instances/as-1/backup", backup=True) == 422
    assert post(browser, "/instances/as-1/backup", backup=True, reason="spare") == 204
    assert row_of("as-1").backup
    assert Instance.objects.get(name="as-1").backup
    assert post(browser, "/instances/as-1/backup", backup=True, reason="twice") == 204
    assert AuditEntry.objects.filter(action="dispatch.instance_backup").count() == 1
    assert services.differences(group) == {}
    hotpath.run(commands.backup(SLUG, "as-1", False))
    assert services.differences(group) == {"backup": 1}
    services.bring_to_redis(group)
    assert row_of("as-1").backup
    page = browser.post(f"{PAGE}act/", {"verb": "primary", "name": "as-1"}, follow=True)
    assert "Instance as-1 is a primary again." in page.content.decode()
    assert "as-1: backup" in run("backup", SLUG, "as-1", "--reason", "spare")
    assert "backup" in run("show", SLUG)
    services.group_rebuild(group, "lost", show().generation)
    assert hotpath.run(commands.names(SLUG))["as-1"][0].backup
    assert "as-1: primary" in run("primary", SLUG, "as-1")


def test_a_session_that_was_offered_twice_says_so(group: Group, browser: Client) -> None:
    peers, caller = [back("as-1"), back("as-2")], front()
    session = caller.start("1")
    first = next(peer for peer in peers if peer.outbox())
    first.leave()
    told = browser.get(f"{API}/sessions/explain?session={session}").json()
    assert told["offered"] == [first.id]
    page = browser.get(f"{PAGE}sessions/?session={session}").content.decode()
    assert "Offered before to" in page
    assert show().retried == 1
