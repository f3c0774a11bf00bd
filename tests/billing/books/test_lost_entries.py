"""Redis loses entries that SQL does not have: the cost is bounded, named, and reported."""

import io
import random

import pytest
from django.core.management import call_command
from django.db import transaction
from django.utils import timezone

from billing import servers
from billing import wallet as commands
from billing.models import FlaggedReport, HoldIntent, Tariff, Wallet
from billing.persistence.running import persist_one
from billing.selectors.losses import recent_losses
from billing.services import outbox, safe_mode
from billing.services.rebuilding_drill import wallet_rebuild
from billing.services.wallet_settings import settings_of
from poolsite import hotpath
from tests.billing.books.book_support import (
    OTHERS,
    PRICES,
    figures,
    held,
    live_wallet,
    reported,
    run,
)
from tests.billing.books.test_running import green
from tests.support.timers import let_time_pass

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

QUOTED = 800
WORTH = {"native_text": 300, "yuexin_resolved": 500, "": 0}


def audit():
    out = io.StringIO()
    call_command("audit", stdout=out)  # SystemExit(1) when an equation does not hold
    return out.getvalue()


def lose(row):
    with servers.path(row).client() as client:
        client.flushall()
    assert safe_mode.watch()["rebuilt"] == 1
    row.refresh_from_db()


def intend(row, message_id):
    now = timezone.now()
    tariff, _ = Tariff.objects.get_or_create(
        account=row.account, name="t", valid_from=now.replace(year=2020), prices={}
    )
    HoldIntent.objects.create(
        wallet=row, message_id=message_id, body_hash="hash", prices=PRICES, others=OTHERS,
        quoted=QUOTED, tariff=tariff, handed_over_at=now,
    )  # fmt: skip


class Interval:
    """What happens between the last batch and the loss: random, and also counted by the test."""

    def __init__(self, row, chance):
        self.row, self.chance = row, chance
        self.moved = 0  # units, in either direction
        self.lost_holds = {}  # message → the mode that it was delivered by, "" if it failed
        self.lost_returns = {}  # message → units that were returned

    def happen(self, open_messages):
        steps = [self.hold, self.intended_hold, self.recharge]
        for number in range(12):
            self.chance.choice(steps)(number)
        for message_id in open_messages:
            mode = self.chance.choice([*WORTH, None])
            if mode is not None:
                reported(self.row, message_id, mode)
                self.lost_returns[message_id] = QUOTED - WORTH[mode]
                self.moved += QUOTED - WORTH[mode]

    def hold(self, number):
        """Hold by the API: only Redis knows the message."""
        assert held(self.row, f"api-{number}", sent=True).answer == "held"
        self.lost_holds[f"api-{number}"] = self.chance.choice([*WORTH])
        self.moved += QUOTED

    def intended_hold(self, number):
        intend(self.row, f"intended-{number}")
        assert held(self.row, f"intended-{number}", sent=True).answer == "held"
        self.moved += QUOTED

    def recharge(self, number):
        with transaction.atomic():
            outbox.order(self.row, "recharge", 70, f"recharge:{number}")
        self.moved += 70


@pytest.mark.parametrize("seed", range(4))
def test_an_emptied_redis_costs_no_more_than_what_moved_since_the_last_batch(seed):
    row = live_wallet(spendable=50_000)
    before = [f"before-{number}" for number in range(4)]
    for message_id in before:
        held(row, message_id, sent=True)
    persist_one(row)
    interval = Interval(row, random.Random(seed))
    interval.happen(before)
    was = figures(row)
    lose(row)

    # Exactly: holds that only Redis knew are returned, returns that were lost are held again.
    now = figures(row)
    given_back = QUOTED * len(interval.lost_holds)
    held_again = sum(interval.lost_returns.values())
    assert now.bal - was.bal == given_back - held_again
    assert abs(now.bal - was.bal) <= interval.moved
    assert now.held == was.held - given_back + QUOTED * len(interval.lost_returns)
    assert now.bal >= 0
    assert row.unexplained == 0  # no discarded entry, and every intent could be charged
    green()

    # The gateway reports lost messages: nothing is charged, and each is listed.
    short = commands.WalletSettings(zone=settings_of(row).zone, report_seconds=0)
    run(row, commands.configure(row.slug, short))
    for message_id, mode in interval.lost_holds.items():
        assert reported(row, message_id, mode).answer == "parked"
    let_time_pass("billing.wallet", row.slug)
    persist_one(row)
    listed = FlaggedReport.objects.filter(flag="orphan").values_list("message_id", "reported_mode")
    expected = {name: mode or "failed" for name, mode in interval.lost_holds.items()}
    assert dict(listed) == expected
    again = run(row, commands.messages(row.slug, list(interval.lost_returns) or ["none"]))
    assert {state.state for state in again.values()} <= {"expired"}  # and is returned in the end
    assert len(again) == len(interval.lost_returns)
    green()
    assert f"{row.slug}: rebuilt" in audit()


def test_an_interval_without_a_loss_is_not_told():
    row = live_wallet()
    held(row, "m1")
    wallet_rebuild(row, actor="test")
    assert list(recent_losses()) == []
    assert audit() == "1 accounts, 0 differences\n"


def test_a_loss_says_since_when_changes_may_be_missing_and_what_nobody_can_explain():
    row, other, unwritten = live_wallet(spendable=1_000), live_wallet(), live_wallet()
    for each in (row, other):
        held(each, "m1")
        persist_one(each)
    Wallet.objects.filter(pk=row.pk).update(spendable=700)  # not enough for the next hold
    intend(row, "intended")
    row.refresh_from_db()
    written = row.persisted_at
    with servers.path(row).client() as client:
        client.delete(*client.keys(f"{row.tag}*"), *client.keys(f"{unwritten.tag}*"))
        client.delete(safe_mode.MARK)
    assert safe_mode.watch()["rebuilt"] == 2
    row.refresh_from_db()
    assert row.unexplained == -QUOTED
    found = {loss.account.slug: loss for loss in recent_losses()}
    assert set(found) == {row.slug, unwritten.slug}
    assert found[row.slug].written_at == written
    assert found[unwritten.slug].written_at is None
    assert {loss.why for loss in found.values()} == {"emptied"}
    assert [loss.account.slug for loss in recent_losses(row.slug)] == [row.slug]
    Wallet.objects.filter(pk=row.pk).update(opening=700 + QUOTED)  # as if always this way
    said = audit()
    assert f"{row.slug}: -0.0800 unexplained\n" in said
    assert f"(emptied); changes may be missing since {written.isoformat()}\n" in said
    assert f"{unwritten.slug}: rebuilt" in said
    assert "since it was opened\n" in said
    assert other.slug not in said
    assert hotpath.run(commands.balance(row.slug)).bal == 700
