"""The steps of sending some recipients' messages; each can be repeated after a crash."""

from collections.abc import Sequence

from django.utils import timezone

from billing import wallet as commands
from billing.models import Campaign, HoldIntent, Recipient
from billing.services.opt_outs import opted_out
from billing.services.sending_values import (
    OPTED_OUT,
    OTHER_BODY,
    OTHERWISE,
    STOPS,
    Held,
    Prepared,
    Recorded,
)
from poolsite.hotpath import HotPath
from poolsite.jobs import JobHandle

TOGETHER = 32  # the limit of one script


def refuse_opted_out(
    job: JobHandle, campaign: Campaign, rows: Sequence[Recipient]
) -> list[Recipient]:
    """Leave out recipients who opted out after the upload; nothing is ever held for them."""
    refused = opted_out(campaign.wallet.account_id, [row.number for row in rows])
    gone = [row for row in rows if row.number in refused]
    if gone:
        with job.chunk():
            Recipient.objects.filter(pk__in=[row.pk for row in gone]).update(
                state=Recipient.State.REFUSED, error=OPTED_OUT
            )
    return [row for row in rows if row.number not in refused]


def request_of(campaign: Campaign, each: Prepared) -> commands.HoldRequest:
    """Return the hold request with the prices of the intent, even if the tariff changed since."""
    intent = each.intent
    quote = commands.Quote(intent.prices, intent.tariff_id, intent.others)
    return commands.HoldRequest(
        intent.message_id, intent.body_hash, quote, chatbot=campaign.chatbot.slug
    )


def hold(path: HotPath, campaign: Campaign, prepared: Sequence[Prepared], held: Held) -> None:
    """Hold the money of each message; earlier holds are reported with their current state."""
    requests = [request_of(campaign, each) for each in prepared]
    to_run = [
        commands.hold_many(campaign.wallet.slug, requests[start : start + TOGETHER])
        for start in range(0, len(requests), TOGETHER)
    ]
    charges = [charge for part in path.run_all(to_run) for charge in part]
    for each, charge in zip(prepared, charges, strict=True):
        _sort(held, each, charge)


def _sort(held: Held, each: Prepared, charge: commands.Charge) -> None:
    if charge.answer == "conflict":
        held.recorded.conflicts.append(each)
    elif charge.answer not in ("held", "repeat"):
        held.stop = held.stop or STOPS.get(charge.answer, OTHERWISE)
    elif charge.state in ("held", "sent"):
        held.ready.append(each)
    elif charge.state == "cancelled":
        held.recorded.spent.append(each)
    else:
        held.recorded.done.append(each)


def mark_sent(
    path: HotPath, campaign: Campaign, group: Sequence[Prepared], recorded: Recorded
) -> list[Prepared]:
    """Mark messages just before they are handed over; return those that may be sent."""
    if not group:
        return []
    ids = [each.recipient.message_id for each in group]
    charges = path.run(commands.sent(campaign.wallet.slug, ids))
    ready = []
    for each, charge in zip(group, charges, strict=True):
        if charge.state == "sent":
            ready.append(each)
        elif charge.state == "cancelled":
            recorded.spent.append(each)
        else:
            recorded.done.append(each)
    return ready


def take_back(path: HotPath, campaign: Campaign, left: Sequence[Prepared]) -> None:
    """Return the money held for messages that will no longer be sent."""
    ids = [each.recipient.message_id for each in left]
    slug = campaign.wallet.slug
    parts = (ids[start : start + TOGETHER] for start in range(0, len(ids), TOGETHER))
    path.run_all([commands.cancel_many(slug, part) for part in parts])


def record(job: JobHandle, path: HotPath, campaign: Campaign, recorded: Recorded) -> None:
    """Record the results of the messages; one that a gateway refused for good costs nothing."""
    refused = [each.recipient.message_id for each, _ in recorded.refused]
    reports = [
        commands.DeliveryReport(message_id, final=True, delivered=False) for message_id in refused
    ]
    path.run_all(
        [
            commands.report_many(campaign.wallet.slug, reports[start : start + TOGETHER])
            for start in range(0, len(reports), TOGETHER)
        ],
    )
    sent = [each.recipient.pk for each in (*recorded.taken, *recorded.done)]
    others = []
    for each, reason in (*recorded.refused, *((c, OTHER_BODY) for c in recorded.conflicts)):
        each.recipient.state, each.recipient.error = Recipient.State.REFUSED, reason[:200]
        others.append(each.recipient)
    for each in recorded.spent:
        row = each.recipient
        row.attempt += 1
        row.message_id = f"{campaign.public_id}-{row.row}-{row.attempt}"
        others.append(row)
    now = timezone.now()
    with job.chunk():
        Recipient.objects.filter(pk__in=sent).update(state=Recipient.State.SENT)
        Recipient.objects.bulk_update(others, ["state", "error", "attempt", "message_id"])
        HoldIntent.objects.filter(pk__in=[each.intent.pk for each in recorded.taken]).update(
            handed_over_at=now
        )
