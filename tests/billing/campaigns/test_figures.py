"""A campaign's figures: the books plus the wallet's later changes equal the later books."""

import random

import pytest

from billing import wallet as commands
from billing.campaigns.figures import CampaignFigures
from billing.models import Campaign
from billing.selectors.campaigns import figures_in_books, figures_of
from billing.topics.campaigns import CampaignTopic
from poolsite import access
from poolsite.live import tail as tail_module
from tests.billing.campaigns.world import DEAREST, Sender, fresh, numbers
from tests.numbers.people import in_thread, tenant

MODES = ("native_card", "video", "yuexin_resolved", "")


def quote() -> commands.Quote:
    return commands.Quote({"native_card": DEAREST, "video": 1_200, "yuexin_resolved": 1_500})


def live_through(acme: Sender, ids: list[str], chance: random.Random) -> None:
    """Hold, send, report and cancel in random order, as campaigns do."""
    slug = acme.wallet.slug
    acme.run(commands.hold_many(slug, [commands.HoldRequest(each, "b", quote()) for each in ids]))
    kept = [each for each in ids if chance.random() < 0.9]
    for each in set(ids) - set(kept):
        acme.run(commands.cancel(slug, each))
    acme.run(commands.sent(slug, kept))
    for each in chance.sample(kept, len(kept) * 2 // 3):
        mode = chance.choice(MODES)
        acme.run(commands.report(slug, commands.DeliveryReport(each, True, bool(mode), mode)))


def tail_of(acme: Sender, since: int) -> list[commands.WalletChange]:
    found = acme.run(commands.entries(acme.wallet.slug, since))
    return [change for change in found.changes if change.id.startswith("c")]


@pytest.mark.parametrize("seed", range(6))
def test_books_and_tail_agree_with_the_books_of_later(acme: Sender, seed: int) -> None:
    chance = random.Random(seed)
    campaign = acme.draft(numbers(60))
    ids = list(campaign.recipients.order_by("row").values_list("message_id", flat=True))
    live_through(acme, ids[:25], chance)
    acme.persist()
    base = figures_in_books(campaign)
    acme.wallet.refresh_from_db()
    seq = acme.wallet.seq
    live_through(acme, ids[25:50], chance)
    now = base.after(tail_of(acme, seq))
    acme.persist()
    later = figures_in_books(campaign)
    for name in ("held", "sent", "failed", "cancelled", "charged", "returned", "held_money"):
        assert getattr(now, name) == getattr(later, name), name
    assert dict(now.delivered) == dict(later.delivered)
    assert now.delivered_count > base.delivered_count


def test_no_entry_changes_nothing() -> None:
    figures = CampaignFigures(recipients=5, waiting=5)
    assert figures.after([]) == figures


async def test_the_topic_tells_the_counts_before_the_books_know_them(
    transactional_db: None, clean_redis: object
) -> None:
    acme, campaign = await in_thread(_campaign)()
    topic = CampaignTopic(f"{acme.wallet.slug}.{campaign.pk}")
    first = await topic.snapshot()
    assert first.data["figures"]["waiting"] == 40
    ids = [f"c{campaign.pk}-{row}" for row in range(2, 32)]
    await in_thread(live_through)(acme, ids, random.Random(1))
    change = await topic.changes(first.version)
    assert change is not None
    figures = change.data["figures"]
    assert figures["delivered_count"] + figures["failed"] > 10
    assert figures["charged"] > 0
    told = {**figures, "waiting": 0}
    await in_thread(acme.persist)()
    books = (await in_thread(figures_in_books)(campaign)).as_data()
    assert {**books, "waiting": 0} == told


async def test_counts_never_fall_back_when_the_books_are_far_behind(
    transactional_db: None, clean_redis: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail_module, "REMEMBERED", 20)
    monkeypatch.setattr(tail_module, "FIRST_ENTRIES", 10)
    acme, campaign = await in_thread(_campaign)()
    ids = [f"c{campaign.pk}-{row}" for row in range(2, 42)]
    await in_thread(live_through)(acme, ids[:20], random.Random(2))
    late = CampaignTopic(f"{acme.wallet.slug}.{campaign.pk}")
    first = (await late.snapshot()).data["figures"]
    assert first["delivered_count"] > 0  # a late reader gets everything
    await in_thread(live_through)(acme, ids[20:25], random.Random(3))
    second = (await late.snapshot()).data["figures"]
    assert second["delivered_count"] >= first["delivered_count"]
    await in_thread(acme.persist)()
    books = (await in_thread(figures_in_books)(campaign)).as_data()
    assert {**books, "waiting": 0} == {**second, "waiting": 0}


async def test_a_topic_is_its_tenant_s_and_its_campaign_s(
    transactional_db: None, clean_redis: object
) -> None:
    acme, campaign = await in_thread(_campaign)()
    stranger = await in_thread(lambda: tenant("other").principal)()
    owner = await in_thread(_owner)(acme)
    address = f"{acme.wallet.slug}.{campaign.pk}"
    assert await CampaignTopic(address).allowed(owner) == access.Decision.ALLOW
    assert await CampaignTopic(address).allowed(stranger) == access.Decision.HIDDEN
    missing = CampaignTopic(f"{acme.wallet.slug}.{campaign.pk + 7}")
    assert await missing.allowed(owner) == access.Decision.HIDDEN
    for nonsense in ("", "acme", "acme.", "acme.x", "ACME.1", "acme.1.2"):
        with pytest.raises(ValueError, match="not a campaign"):
            CampaignTopic(nonsense)


def _campaign() -> tuple[Sender, Campaign]:
    from tests.billing.campaigns.world import sender

    acme = sender("acme")
    campaign = acme.draft(numbers(40))
    assert figures_of(campaign).waiting == 40
    return acme, fresh(campaign)


def _owner(acme: Sender) -> access.Principal:
    from poolsite.access.models import User
    from poolsite.access.services import membership_set, user_create

    user = user_create(username="acme-owner", actor="test")
    membership_set(user=user, account=acme.wallet.account, roles=["owner"], actor="test")
    return access.principal_of_user(User.objects.get(pk=user.pk))
