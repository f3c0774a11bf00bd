"""The groups' live topics: what they show, to which users, and what bad input they refuse."""

import pytest
from asgiref.sync import sync_to_async

from poolsite import access, hotpath, live
from poolsite.access.models import Account, Membership, User
from poolsite.live import resolve
from queueing.dispatch import services
from queueing.dispatch.models import Group
from queueing.dispatch.topics.figures import GroupFiguresTopic, GroupListTopic
from queueing.dispatch.topics.peers import PeersTopic
from queueing.dispatch.topics.upgrades import UpgradeTopic
from tests.dispatch.people import SLUG, back, front, make_group

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


@pytest.fixture
def group() -> Group:
    return make_group(account=Account.objects.create(slug="evergreen", name="Evergreen"))


async def test_figures_and_peers_follow_what_happens(group: Group) -> None:
    figures, peers = GroupFiguresTopic(SLUG), PeersTopic(SLUG)
    assert (await figures.snapshot()).data["sessions"] == 0
    await sync_to_async(back)("as-1")
    caller = await sync_to_async(front)()
    before = await peers.snapshot()
    assert sorted(before.data["rows"]) == ["b:as-1", "f:sip-1"]
    await sync_to_async(caller.start)("1")
    change = await peers.changes(before.version)
    assert change is not None
    assert change.data["set"]["b:as-1"]["sessions"] == 1
    assert (await figures.snapshot()).data["sessions"] == 1
    await sync_to_async(services.instance_set)(
        actor="test", group=group, name="as-1", state="drain", reason="why"
    )
    row = (await peers.snapshot()).data["rows"]["b:as-1"]
    assert (row["manual"], row["manual_by"], row["manual_reason"]) == ("drain", "test", "why")


async def test_a_rate_is_told_once_there_are_two_looks(
    group: Group, monkeypatch: pytest.MonkeyPatch
) -> None:
    peers = PeersTopic(SLUG)
    assert peers._rate("b:x", 10, 0.0) == 0.0
    assert peers._rate("b:x", 12, 0.2) == 0.0  # too soon for a figure
    assert peers._rate("b:x", 20, 2.0) == 5.0
    assert peers._rate("b:x", 3, 4.0) == 0.0  # it started again


async def test_an_upgrade_is_told_step_by_step(group: Group) -> None:
    await sync_to_async(back)("as-1")
    await sync_to_async(back)("as-2")
    upgrade = await sync_to_async(services.upgrade_start)(
        actor="test", group=group, target_version="2.0"
    )
    topic = UpgradeTopic(str(upgrade.pk))
    before = await topic.snapshot()
    assert [one["status"] for one in before.data["steps"]] == ["waiting", "waiting"]
    await sync_to_async(services.tick_upgrades)()
    change = await topic.changes(before.version)
    assert change is not None
    assert [one["status"] for one in change.data["steps"]] == ["draining", "waiting"]
    told = (await UpgradeTopic(f"{upgrade.pk}.zh-hans").snapshot()).data["steps"]
    assert [one["word"] for one in told] == ["排空中", "未开始"]
    assert (told[0]["manual_state"], told[0]["manual_word"]) == ("open", "开放")


async def test_each_reader_gets_the_declared_decision(group: Group) -> None:
    other = await sync_to_async(Account.objects.create)(slug="other", name="Other")
    upgrade = await sync_to_async(_running)(group)
    readers = await sync_to_async(_readers)(group.account, other)
    topics: list[live.Topic] = [
        *(GroupFiguresTopic(SLUG), PeersTopic(SLUG), UpgradeTopic(str(upgrade))),
    ]
    for topic in topics:
        for name, wanted in (("owner", "ALLOW"), ("stranger", "HIDDEN"), ("agent", "FORBIDDEN")):
            assert (await topic.allowed(readers[name])).name == wanted, (topic.name, name)
    for topic in (GroupFiguresTopic("none"), PeersTopic("none"), UpgradeTopic("99999")):
        assert (await topic.allowed(readers["owner"])).name == "HIDDEN"
    assert (await GroupListTopic("all").allowed(readers["owner"])).name == "FORBIDDEN"
    assert await GroupListTopic(str(group.account_id)).allowed(readers["owner"])
    assert not await GroupListTopic(str(other.pk)).allowed(readers["owner"])


def _running(group: Group) -> int:
    back("as-1")
    back("as-2")
    return services.upgrade_start(actor="test", group=group, target_version="2.0").pk


def _readers(own: Account, other: Account) -> dict[str, access.Principal]:

    found = {}
    for name, account, role in (
        ("owner", own, "owner"),
        ("agent", own, "agent"),
        ("stranger", other, "owner"),
    ):
        user = User.objects.create_user(name)
        Membership.objects.create(user=user, account=account, role=role)
        found[name] = access.principal_of_user(user)
    return found


async def test_the_list_has_a_row_for_each_group_of_the_account(group: Group) -> None:
    rows = (await GroupListTopic(str(group.account_id)).snapshot()).data["rows"]
    assert rows[SLUG]["status"] == "open"
    await sync_to_async(hotpath.client().flushdb)()
    rows = (await GroupListTopic("all").snapshot()).data["rows"]
    assert rows[SLUG]["status"] == "missing"


@pytest.mark.parametrize(
    "address",
    [
        *("dispatch.group:A B", "dispatch.peers:", "dispatch.upgrade:x", "dispatch.upgrade:-1"),
        "dispatch.upgrade:1.xx",
        *("dispatch.groups:everybody", "dispatch.group:" + "x" * 41),
    ],
)
def test_nonsense_is_no_topic(address: str) -> None:
    assert resolve(address) is None
