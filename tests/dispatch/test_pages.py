"""The pages of groups: what they answer, what they change or refuse, and what they show."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone, translation

from poolsite import hotpath
from poolsite.access import principal_of_user
from poolsite.access.models import Account, AuditEntry, Grant, Membership, User
from poolsite.runtime.redis_server import RedisServer
from queueing.dispatch import dispatcher as commands
from queueing.dispatch import overview, search, selectors, services
from queueing.dispatch.cards import CARD
from queueing.dispatch.models import Group, Instance, MinuteSample, Upgrade
from queueing.dispatch.views import sessions as views
from tests.dispatch.people import SLUG, back, drain, front, make_group, row_of, show

pytestmark = pytest.mark.django_db(transaction=True)

PAGE = f"/groups/{SLUG}/"


@pytest.fixture
def group(clean_redis: RedisServer) -> Group:
    """A group of the account `evergreen`."""
    account = Account.objects.create(slug="evergreen", name="Evergreen")
    return make_group(name="=Servers", account=account)


@pytest.fixture
def operator() -> User:
    """An operator with the grant to act."""
    user = User.objects.create_user("op", is_operator=True)
    Grant.objects.create(user=user, name="operate")
    return user


@pytest.fixture
def browser(operator: User) -> Client:
    client = Client()
    client.force_login(operator)
    return client


def act(client: Client, path: str = PAGE, **data: Any) -> str:
    """Send a verb. Return what the page then says, whether it was done or not."""
    response = client.post(f"{path}act/", data, follow=True)
    assert response.redirect_chain
    return str(next(iter(response.context["messages"])))


def test_every_page_opens(group: Group, browser: Client) -> None:
    back("as-1")
    back("as-2")
    session = front().start("1")
    upgrade = services.upgrade_start(actor="test", group=group, target_version="2.0")
    services.tick_upgrades()
    drain(group)
    for path in (
        *("/groups/", "/groups/?q=asi", "/groups/?q=nothing", "/groups/new/", PAGE),
        *(f"{PAGE}samples/", f"{PAGE}settings/", f"{PAGE}sessions/", f"{PAGE}events/"),
        *(f"{PAGE}sessions/?session={session}", f"{PAGE}sessions/?session=none/1"),
        *(f"{PAGE}sessions/?peer=f:sip-1", f"{PAGE}sessions/?peer=b:x", f"{PAGE}events.csv"),
        *(f"{PAGE}events/?event=registered&who=as-1", f"{PAGE}events/?day=2001-01-01&before=1.2"),
        *(f"{PAGE}events/?event=%00&day=x&before=x", f"{PAGE}upgrades/{upgrade.pk}/"),
    ):
        response = browser.get(path)
        assert response.status_code == 200, path
        if not response.streaming and b"<html" in response.content:
            assert "{%" not in response.content.decode(), path


def test_pages_stand_while_redis_is_away(
    group: Group, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object, **_more: object) -> None:
        raise hotpath.Unavailable("away")

    monkeypatch.setattr(hotpath, "run", refuse)
    monkeypatch.setattr(hotpath, "run_batch", refuse)
    assert "No data" in browser.get("/groups/").content.decode()
    assert "can't be read right now" in browser.get(PAGE).content.decode()
    assert "can't be read right now" in browser.get(f"{PAGE}sessions/").content.decode()
    assert "Nothing was changed" in act(
        browser, verb="upgrade", target_version="2", at_limit="wait", max_drain_seconds="9 s"
    )


def test_an_upgrade_is_offered_once_an_instance_is_linked(group: Group, browser: Client) -> None:
    disabled = 'data-dialog="start-upgrade" disabled'
    front()
    assert disabled in browser.get(PAGE).content.decode()
    back("as-1")
    assert disabled not in browser.get(PAGE).content.decode()


def test_a_group_is_made_and_bad_ones_are_not(clean_redis: RedisServer, browser: Client) -> None:
    good = {
        "name": "Servers",
        "slug": SLUG,
        "sharing": "turn",
        "heartbeat_seconds": "5 s",
        "disconnect_seconds": "60 s",
    }
    for bad in ({"slug": "A b"}, {"name": ""}, {"sharing": "luck"}, {"heartbeat_seconds": "0 s"}):
        assert browser.post("/groups/new/", {**good, **bad}).status_code == 422
    assert not Group.objects.exists()
    assert browser.post("/groups/new/", good)["Location"] == PAGE
    assert show().settings.sharing == "turn"
    assert browser.post("/groups/new/", good).status_code == 422  # the slug is taken


def test_an_instance_is_set_with_who_why_and_until(group: Group, browser: Client) -> None:
    back("as-1")
    assert "Enter a short reason." in act(browser, verb="drain", name="as-1")
    assert row_of("as-1").manual == "open"
    until = f"{timezone.localtime().year + 1}-01-02T03:04"
    assert "is draining" in act(browser, verb="drain", name="as-1", reason="disk <b>", until=until)
    assert row_of("as-1").manual == "drain"
    assert "blocked" in act(browser, verb="block", name="as-1", reason="worse")
    assert row_of("as-1").manual == "blocked"
    assert "open" in act(browser, verb="open", name="as-1")
    assert row_of("as-1").manual == "open"
    for bad in (
        {"verb": "drain", "name": "a/b", "reason": "x"},
        {"verb": "drain", "name": "as-1", "reason": "x", "until": "yesterday"},
        {"verb": "drain", "name": "as-1", "reason": "x", "until": "2001-01-01T00:00"},
        {"verb": "melt", "name": "as-1"},
    ):
        assert act(browser, **bad)
    assert row_of("as-1").manual == "open"
    assert AuditEntry.objects.filter(action="dispatch.instance_set").count() == 3


def test_a_session_is_ended_and_a_link_closed(group: Group, browser: Client) -> None:
    back("as-1")
    sip = front()
    session = sip.start("1")
    assert "ended" in act(browser, verb="end_session", session=session, reason="asked")
    assert "Session not found" in act(browser, verb="end_session", session=session, reason="x")
    assert "closed" in act(browser, verb="disconnect", peer=sip.key, reason="test")
    assert "Link not found" in act(browser, verb="disconnect", peer="f:none", reason="test")


def test_an_upgrade_is_begun_and_aborted(group: Group, browser: Client) -> None:
    back("as-1")
    words = {"verb": "upgrade", "max_drain_seconds": "60 s", "at_limit": "wait"}
    assert "can't carry" in act(browser, **words, target_version="2.0")
    back("as-2")
    for bad in ({"target_version": ""}, {"target_version": "a b"}, {"max_drain_seconds": "0 s"}):
        act(browser, **{**words, "target_version": "2.0", **bad})
    assert not Upgrade.objects.exists()
    assert "Upgrade started" in act(browser, **words, target_version="2.0")
    upgrade = Upgrade.objects.get()
    page = f"{PAGE}upgrades/{upgrade.pk}/"
    assert "No instance is draining" in act(browser, page, verb="force", reason="x")
    assert "Enter a short reason." in act(browser, page, verb="abort")
    assert "aborted" in act(browser, page, verb="abort", reason="not today")
    told = browser.get(page).content.decode()
    assert "not today" in told
    assert "Ended " in told
    assert browser.get(f"{PAGE}upgrades/{2**63}/").status_code == 404
    assert browser.get(f"{PAGE}upgrades/999/").status_code == 404


def test_a_peers_sessions_stand_below_its_state(group: Group, browser: Client) -> None:
    instance = back("as-1")
    caller = front()
    session = caller.start("1")
    drain(group)
    services.instance_set(actor="test", group=group, name="as-1", state="drain", reason="disk <b>")
    page = browser.get(f"{PAGE}sessions/?peer={instance.key}")
    told = page.context["told"]
    assert (told["name"], told["state"], told["manual"]) == ("as-1", "active", "drain")
    assert told["manual_since"] is not None
    words = page.content.decode()
    assert "disk &lt;b&gt;" in words
    assert "1 / 100" in words
    assert f'href="?peer={caller.key}"' in words
    assert f'href="?session={session}"' in words
    other = browser.get(f"{PAGE}sessions/?peer={caller.key}").context
    assert (other["told"]["kind"], other["told"]["sessions"]) == ("front", 1)
    assert [row.route.back_name for row in other["rows"]] == ["as-1"]
    assert "Peer not found" in browser.get(f"{PAGE}sessions/?peer=b:gone").content.decode()


def test_the_sessions_of_a_peer_are_paged(
    group: Group, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "PAGE_ROWS", 2)
    back("as-1")
    caller = front()
    begun = [caller.start(word) for word in ("1", "2")]
    path = f"{PAGE}sessions/"
    shown = browser.get(f"{path}?peer={caller.key}").context
    assert ([row.route.session for row in shown["rows"]], shown["next_url"]) == (begun, "")
    begun.append(caller.start("3"))
    first = browser.get(f"{path}?peer={caller.key}").context
    second = browser.get(path + first["next_url"]).context
    found = [row.route.session for page in (first, second) for row in page["rows"]]
    assert (found, second["next_url"]) == (begun, "")


def test_an_instance_that_redis_has_forgotten_is_told_as_stopped(
    group: Group, browser: Client
) -> None:
    Instance.objects.create(group=group, name="as-9", back_id="n9", version="1.1")
    page = browser.get(f"{PAGE}sessions/?peer=b:n9")
    assert (page.context["told"]["name"], page.context["told"]["state"]) == ("as-9", "stop")
    assert "This peer has no sessions" in page.content.decode()


def test_settings_are_saved_and_bad_ones_named(group: Group, browser: Client) -> None:
    page = browser.get(f"{PAGE}settings/")
    form = page.context["form"]
    data = {name: form[name].value() for name in form.fields}
    good = {**data, "disconnect_seconds": "9 s", "reason": "", "description": ""}
    assert browser.post(f"{PAGE}settings/", {**good, "out_limit": "0"}).status_code == 422
    assert browser.post(f"{PAGE}settings/", good)["Location"] == PAGE
    assert show().settings.disconnect_seconds == 9
    entry = AuditEntry.objects.get(action="dispatch.group_configure")
    assert entry.after == {"disconnect_seconds": 9}


def test_the_log_says_the_dispatchers_own_reasons_in_the_readers_language() -> None:
    own = [*commands.reasons.REFUSALS, *commands.reasons.ENDS, *commands.reasons.OF_LOG]
    with translation.override("zh-hans"):
        words = selectors.reason_words()
        assert [reason for reason in own if words.get(reason, reason) == reason] == []
        assert "new disks" not in words
        assert selectors.reason_told("new disks") == "new disks"
        assert selectors.reason_told(commands.reasons.EXPIRED) == words[commands.reasons.EXPIRED]


def test_the_log_as_csv_is_harmless_in_a_spreadsheet(group: Group, browser: Client) -> None:
    services.instance_set(actor="test", group=group, name="as-1", state="drain", reason="=cmd()")
    drain(group)
    lines = b"".join(browser.get(f"{PAGE}events.csv?who=as-1").streaming_content).decode()
    assert "'=cmd()" in lines
    assert ",=cmd()" not in lines


def test_samples_leave_gaps_where_there_are_none(group: Group, browser: Client) -> None:
    minute = timezone.now().replace(second=0, microsecond=0)
    MinuteSample.objects.create(group=group, minute=minute, sessions=7)
    values = browser.get(f"{PAGE}samples/").json()["values"]["sessions"]
    assert values[-1] == 7
    assert values[0] is None


def test_card_search_and_metrics(group: Group, operator: User) -> None:
    principal = principal_of_user(operator)
    back("as-1")
    session = front().start("1")
    services.note_peers(0, 1)
    card = CARD.load(principal)
    assert card is not None
    assert card.rows[0]["name"] == "=Servers"
    assert [found.name for found in search.find(principal, "asi", 5)] == ["=Servers"]
    (instance,) = search.find(principal, "as-1", 5)
    assert (instance.name, instance.url) == (
        "as-1",
        f"{PAGE}sessions/?peer=b%3A{row_of('as-1').id}",
    )
    assert [found.name for found in search.find(principal, session, 5)] == [session]
    assert list(search.find(principal, "no/such", 5)) == []
    text = str([metric.samples for metric in overview.collect()])
    assert "sessions" in text
    assert "sip-1" not in text


def test_an_owner_looks_and_a_stranger_sees_nothing(group: Group) -> None:
    other = Account.objects.create(slug="other", name="Other")
    for account, status in ((group.account, 200), (other, 404)):
        user = User.objects.create_user(f"owner-{account.slug}")
        Membership.objects.create(user=user, account=account, role="owner")
        client = Client()
        client.force_login(user)
        assert client.get(PAGE).status_code == status
        refused = client.post(f"{PAGE}act/", {"verb": "drain", "name": "as-1", "reason": "x"})
        assert refused.status_code == (403 if status == 200 else 404)
        assert list(search.find(principal_of_user(user), "asi", 5)) != [] or status == 404
