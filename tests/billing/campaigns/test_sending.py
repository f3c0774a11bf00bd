"""Sending over a real gateway process: each message once, paid once, whatever stops it."""

from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.core.exceptions import ValidationError
from django.utils import timezone

from billing import wallet as commands
from billing.models import Campaign, HoldIntent, Message, Recipient, Tariff, TerminalListing
from billing.services import campaigns_sweeping, outbox, sending, sending_steps
from billing.services.campaigns import (
    campaign_await_top_up,
    campaign_cancel,
    campaign_pause,
    campaign_resume,
    campaign_send,
)
from billing.services.campaigns_sweeping import sweep_campaigns
from billing.services.campaigns_test_send import campaign_test_send
from billing.services.opt_outs import opt_outs_add
from poolsite.jobs import runner
from poolsite.jobs.models import Job
from tests.billing.campaigns.world import (
    DEAREST,
    GatewayProcess,
    Sender,
    fresh,
    numbers,
    send,
    sender,
    work,
)

Status = Campaign.Status


def states(campaign: Campaign) -> dict[str, int]:
    found: dict[str, int] = {}
    for state in Recipient.objects.filter(campaign=campaign).values_list("state", flat=True):
        found[state] = found.get(state, 0) + 1
    return found


def test_every_recipient_is_held_sent_and_handed_over_once(
    acme: Sender, gateway: GatewayProcess
) -> None:
    TerminalListing.objects.create(
        number="+8613800130000", supports_yuexin=True, imported_at=timezone.now()
    )
    before = acme.shop.balance()
    campaign = send(acme.draft(numbers(150)))
    assert campaign.status == Status.SENT
    assert states(campaign) == {"sent": 150}
    ledger = gateway.rows(acme.wallet.slug)
    assert set(ledger) == set(campaign.recipients.values_list("message_id", flat=True))
    assert ledger[f"c{campaign.pk}-2"]["fallback"] == "yuexin"
    assert ledger[f"c{campaign.pk}-3"]["fallback"] == "video"
    now = acme.shop.balance()
    assert (before.bal - now.bal, now.held) == (150 * DEAREST, 150 * DEAREST)
    acme.shop.check()
    first = campaign.recipients.get(row=2)
    assert (first.supports_yuexin, first.ability_source) == (True, "table")
    assert HoldIntent.objects.exclude(handed_over_at=None).count() == 150


def test_the_campaign_ends_with_the_last_report(acme: Sender, gateway: GatewayProcess) -> None:
    campaign = send(acme.draft(numbers(3)))
    ids = list(campaign.recipients.values_list("message_id", flat=True))
    for message_id in ids[:2]:
        acme.run(
            commands.report(
                acme.wallet.slug, commands.DeliveryReport(message_id, True, True, "native_card")
            )
        )
    acme.persist()
    sweep_campaigns(0, 1)
    assert fresh(campaign).status == Status.SENT
    acme.run(commands.report(acme.wallet.slug, commands.DeliveryReport(ids[2], True, False)))
    acme.persist()
    sweep_campaigns(0, 1)
    assert fresh(campaign).status == Status.DONE


def test_too_little_money_pauses_it_and_a_top_up_lets_it_go_on(
    acme: Sender, gateway: GatewayProcess
) -> None:
    acme.run(commands.move(acme.wallet.slug, "out:1", "debit", acme.shop.balance().bal))
    acme.shop.pay_in(40 * DEAREST)
    campaign = send(acme.draft(numbers(100)))
    assert campaign.status == Status.LOW_BALANCE
    assert states(campaign) == {"sent": 40, "": 60}
    assert acme.shop.balance().bal == 0
    acme.shop.pay_in(60 * DEAREST)
    campaign = work(campaign_resume(actor="test", campaign=campaign))
    assert (campaign.status, states(campaign)) == (Status.SENT, {"sent": 100})
    assert len(gateway.rows(acme.wallet.slug)) == 100
    acme.shop.check()


def test_top_up_and_go_on_needs_no_second_visit(acme: Sender, gateway: GatewayProcess) -> None:
    acme.run(commands.move(acme.wallet.slug, "out:1", "debit", acme.shop.balance().bal))
    campaign = send(acme.draft(numbers(3)))
    sweep_campaigns(0, 1)
    assert fresh(campaign).status == Status.LOW_BALANCE
    for _click in range(2):
        campaign_await_top_up(actor="test", campaign=campaign)
    sweep_campaigns(0, 1)
    assert fresh(campaign).status == Status.LOW_BALANCE
    outbox.order(acme.wallet, "recharge", 3 * DEAREST, "recharge:7")
    sweep_campaigns(0, 1)
    campaign = work(campaign)
    assert (campaign.status, states(campaign)) == (Status.SENT, {"sent": 3})
    assert acme.shop.balance().bal == 0


def test_a_campaign_that_no_one_pays_for_does_not_hold_up_one_that_was_paid(
    acme: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(campaigns_sweeping, "LIMIT", 1)
    poor, paid = sender("poor").draft(numbers(1)), acme.draft(numbers(1))
    since = timezone.now()
    waits = {"status": Status.LOW_BALANCE, "top_up_awaited_since": since}
    Campaign.objects.filter(pk__in=[poor.pk, paid.pk]).update(**waits)
    outbox.order(acme.wallet, "recharge", DEAREST, "recharge:7")
    assert sweep_campaigns(0, 1)["paid"] == 1
    assert fresh(paid).status == Status.SENDING


STEPS = ("intents", "held", "sent", "handed over", "recorded")


@pytest.mark.parametrize("step", STEPS)
def test_a_worker_that_dies_after_any_step_is_made_good_by_the_next(
    acme: Sender, gateway: GatewayProcess, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    class Killed(BaseException):
        """Like SIGKILL: none of our code runs after it."""

    def dies_after(module: Any, name: str) -> None:
        real = getattr(module, name)

        def once(*args: Any, **kwargs: Any) -> Any:
            real(*args, **kwargs)
            monkeypatch.setattr(module, name, real)
            raise Killed

        monkeypatch.setattr(module, name, once)

    campaign = campaign_send(actor="test", campaign=acme.draft(numbers(40)))
    where = {
        "intents": (sending, "prepare"),
        "held": (sending, "hold"),
        "sent": (sending, "mark_sent"),
        "handed over": (sending.Sending, "_hand_over"),
        "recorded": (sending, "record"),
    }
    dies_after(*where[step])
    with pytest.raises(Killed):
        runner.run(campaign.job_id)
    long_ago = timezone.now() - timedelta(hours=1)
    Job.objects.filter(pk=campaign.job_id).update(heartbeat_at=long_ago)
    repeats = gateway.repeats
    campaign = work(campaign)
    assert (campaign.status, states(campaign)) == (Status.SENT, {"sent": 40})
    assert len(gateway.rows(acme.wallet.slug)) == 40
    assert gateway.repeats - repeats == (32 if step == "handed over" else 0)
    assert acme.shop.balance().held == 40 * DEAREST
    acme.shop.check()


def test_an_id_whose_hold_ended_unsent_is_never_used_again(
    acme: Sender, gateway: GatewayProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = acme.draft(numbers(2))
    real = sending.hold

    def held_too_long(path: Any, campaign: Any, prepared: Any, held: Any) -> None:
        real(path, campaign, prepared, held)
        acme.run(commands.cancel(acme.wallet.slug, prepared[0].intent.message_id))
        monkeypatch.setattr(sending, "hold", real)

    monkeypatch.setattr(sending, "hold", held_too_long)
    campaign = send(campaign)
    ids = set(campaign.recipients.values_list("message_id", flat=True))
    assert (
        ids == {f"c{campaign.pk}-2-2", f"c{campaign.pk}-3"} == set(gateway.rows(acme.wallet.slug))
    )
    assert acme.shop.balance().held == 2 * DEAREST


def test_who_opted_out_after_the_upload_gets_nothing(acme: Sender, gateway: GatewayProcess) -> None:
    campaign = acme.draft(numbers(3))
    opt_outs_add(actor="test", wallet=acme.wallet, texts=numbers(1))
    campaign = send(campaign)
    assert states(campaign) == {"refused": 1, "sent": 2}
    assert f"c{campaign.pk}-2" not in gateway.rows(acme.wallet.slug)
    assert acme.shop.balance().held == 2 * DEAREST


def test_pausing_leaves_off_after_the_group_that_is_under_way_and_cancelling_returns_the_rest(
    acme: Sender, gateway: GatewayProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = acme.draft(numbers(100))
    real = sending.Sending._hand_over

    def person_acts(act: Any) -> Any:
        def hand_over(self: Any, group: Any, recorded: Any) -> None:
            real(self, group, recorded)
            act()
            monkeypatch.setattr(sending.Sending, "_hand_over", real)

        return hand_over

    def pause() -> None:
        campaign_pause(actor="test", campaign=campaign)

    def cancel() -> None:
        campaign_cancel(actor="test", campaign=campaign, reason="wrong text")

    monkeypatch.setattr(sending.Sending, "_hand_over", person_acts(pause))
    campaign = send(campaign)
    assert (campaign.status, states(campaign)) == (Status.PAUSED, {"sent": 32, "": 68})
    monkeypatch.setattr(sending.Sending, "_hand_over", person_acts(cancel))
    campaign = work(campaign_resume(actor="test", campaign=campaign))
    assert (campaign.status, states(campaign)) == (Status.CANCELLED, {"sent": 64, "": 36})
    assert len(gateway.rows(acme.wallet.slug)) == 64
    assert acme.shop.balance().held == 64 * DEAREST
    with pytest.raises(ValidationError):
        campaign_resume(actor="test", campaign=campaign)


def test_a_gateway_that_is_away_is_waited_for(
    acme: Sender, gateway: GatewayProcess, settings: Any
) -> None:
    settings.BILLING_GATEWAY_URL = "http://127.0.0.1:9"
    campaign = send(acme.draft(numbers(5)))
    assert (campaign.status, campaign.status_reason) == (Status.SCHEDULED, sending.NO_ANSWER)
    assert states(campaign) == {"": 5}
    settings.BILLING_GATEWAY_URL = gateway.url
    Campaign.objects.filter(pk=campaign.pk).update(scheduled_at=timezone.now())
    sweep_campaigns(0, 1)
    campaign = work(campaign)
    assert (campaign.status, states(campaign)) == (Status.SENT, {"sent": 5})
    assert acme.shop.balance().held == 5 * DEAREST


def test_what_the_gateway_refuses_for_good_costs_nothing(
    acme: Sender, gateway: GatewayProcess
) -> None:
    campaign = acme.draft(numbers(2))
    Recipient.objects.filter(campaign=campaign, row=2).update(number="+1" + "2" * 15)
    campaign = send(campaign)
    assert states(campaign) == {"refused": 1, "sent": 1}
    assert "422" in campaign.recipients.get(row=2).error
    assert acme.state_of(f"c{campaign.pk}-2") == "failed"
    assert acme.shop.balance().held == DEAREST


def test_no_tariff_pauses_and_holds_nothing(acme: Sender, gateway: GatewayProcess) -> None:
    campaign = acme.draft(numbers(2))
    Tariff.objects.all().delete()
    campaign = send(campaign)
    assert (campaign.status, campaign.status_reason) == (Status.PAUSED, "No tariff is valid now.")
    assert (acme.shop.balance().held, HoldIntent.objects.count()) == (0, 0)


def test_in_quiet_hours_it_waits_and_goes_on_by_itself(
    acme: Sender, gateway: GatewayProcess
) -> None:
    local = timezone.now().astimezone()
    campaign = acme.draft(numbers(2))
    account = campaign.wallet.account
    account.zone = "UTC"
    account.save()
    Campaign.objects.filter(pk=campaign.pk).update(
        quiet_from=(timezone.now() - timedelta(minutes=5)).time(),
        quiet_until=(timezone.now() + timedelta(minutes=5)).time(),
    )
    campaign = send(fresh(campaign))
    assert campaign.status == Status.SCHEDULED
    assert campaign.scheduled_at is not None
    assert local < campaign.scheduled_at <= local + timedelta(minutes=6)
    assert acme.shop.balance().held == 0
    Campaign.objects.filter(pk=campaign.pk).update(
        scheduled_at=timezone.now(), quiet_from=None, quiet_until=None
    )
    sweep_campaigns(0, 1)
    assert work(campaign).status == Status.SENT


def test_a_message_that_ended_long_ago_is_not_held_again(
    acme: Sender, gateway: GatewayProcess
) -> None:
    campaign = send(acme.draft(numbers(1)))
    message_id = f"c{campaign.pk}-2"
    acme.run(
        commands.report(
            acme.wallet.slug, commands.DeliveryReport(message_id, True, True, "native_card")
        )
    )
    acme.persist()
    acme.run(commands.destroy(acme.wallet.slug, campaign.wallet.generation))
    row = Message.objects.get(message_id=message_id)
    settings = commands.WalletSettings()
    acme.run(commands.create(acme.wallet.slug, 99, settings, balance=1_000_000, status="o"))
    Recipient.objects.filter(campaign=campaign).update(state="")
    Campaign.objects.filter(pk=campaign.pk).update(status=Status.PAUSED)
    campaign = work(campaign_resume(actor="test", campaign=fresh(campaign)))
    assert (campaign.status, states(campaign)) == (Status.SENT, {"sent": 1})
    assert acme.state_of(message_id) == ""
    assert acme.shop.balance().bal == 1_000_000
    assert row.state == "settled"


def test_a_second_click_sends_nothing_twice(acme: Sender, gateway: GatewayProcess) -> None:
    campaign = acme.draft(numbers(3))
    for _click in range(2):
        campaign_send(actor="test", campaign=campaign)
    assert Job.objects.filter(kind="billing.campaign").count() == 1
    assert states(work(campaign)) == {"sent": 3}


def test_one_s_own_number_gets_one_message_that_is_charged(
    acme: Sender, gateway: GatewayProcess
) -> None:
    campaign = acme.draft(numbers(1))
    sent = campaign_test_send(actor="test", campaign=campaign, number="138 0013 9990")
    assert sent.intent.message_id == f"t{campaign.pk}-1"
    assert gateway.rows(acme.wallet.slug)[f"t{campaign.pk}-1"]["number"] == "+8613800139990"
    assert acme.shop.balance().held == DEAREST
    with pytest.raises(ValidationError, match="Enter a number that can receive messages"):
        campaign_test_send(actor="test", campaign=campaign, number="12")
    assert (states(campaign), fresh(campaign).status) == ({"": 1}, Status.DRAFT)


def test_the_steps_know_every_refusal_of_a_wallet() -> None:
    from billing.services.sending_values import STOPS
    from billing.wallet.reasons import NO_SUCH_WALLET, REFUSALS

    assert set(STOPS) == set(REFUSALS) - {NO_SUCH_WALLET}
    assert sending.GROUP <= sending_steps.TOGETHER == commands.BATCH_LIMIT


def test_the_reason_kept_by_the_release_before_is_given_in_the_words_of_this_one(acme: Sender):
    migration = import_module("billing.migrations.0003_campaign_texts")
    campaign = acme.draft(numbers(1))
    for old, new in migration.TEXTS.items():
        Campaign.objects.filter(pk=campaign.pk).update(status_reason=old)
        migration.reword(apps, None)
        campaign.refresh_from_db()
        assert campaign.status_reason == new
