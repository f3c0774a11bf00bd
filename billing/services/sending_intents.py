"""Before a hold: the terminal's ability, the quote, and the intent in SQL."""

import hashlib
from collections.abc import Sequence
from typing import Any

import orjson

from billing.gateways import Handover
from billing.models import Campaign, HoldIntent, Message, Recipient, Tariff
from billing.models.messages import State
from billing.pricing.quotes import PriceError
from billing.selectors.tariffs import quotes_of, tariff_at
from billing.services.abilities import look_up
from billing.services.sending_values import NO_TARIFF, Held, Prepared, message_of
from poolsite.jobs import JobHandle

ENDED = (State.SETTLED, State.FAILED, State.EXPIRED, State.CANCELLED)


def prepare(
    job: JobHandle, campaign: Campaign, rows: Sequence[Recipient], held: Held
) -> list[Prepared]:
    """Prepare ability, quote and intent of each message; an existing intent stays valid.

    Messages that ended according to SQL are done, however long ago: Redis forgets ends after 7
    days.
    """
    known = _intents(campaign, rows)
    new = [row for row in rows if row.message_id not in known]
    tariff = tariff_at(campaign.wallet.account_id) if new else None
    if new and not _write_intents(job, campaign, new, tariff):
        held.stop = NO_TARIFF
        rows = [row for row in rows if row.message_id in known]
    else:
        known |= _intents(campaign, new)
    ended = _ended(campaign, list(known))
    prepared = []
    for row in rows:
        each = _prepared(row, known[row.message_id])
        if row.message_id not in ended:
            prepared.append(each)
        elif ended[row.message_id] == State.CANCELLED:
            held.recorded.spent.append(each)
        else:
            held.recorded.done.append(each)
    return prepared


def _write_intents(
    job: JobHandle, campaign: Campaign, rows: Sequence[Recipient], tariff: Tariff | None
) -> bool:
    """Quote new messages and store their intents; return False if they have no price now."""
    try:
        if tariff is None:
            return False
        made = new_intents(campaign, rows, tariff)
    except PriceError:
        return False
    with job.chunk():
        HoldIntent.objects.bulk_create(made, ignore_conflicts=True)
        for (its, source, age), keys in _by_ability(rows).items():
            Recipient.objects.filter(pk__in=keys).update(
                supports_yuexin=its, ability_source=source, ability_age_seconds=age
            )
    return True


def _by_ability(rows: Sequence[Recipient]) -> dict[tuple[bool | None, str, int | None], list[int]]:
    """Group the rows by what is known of their terminals: a few groups for many rows."""
    found: dict[tuple[bool | None, str, int | None], list[int]] = {}
    for row in rows:
        key = (row.supports_yuexin, row.ability_source, row.ability_age_seconds)
        found.setdefault(key, []).append(row.pk)
    return found


def _ended(campaign: Campaign, message_ids: Sequence[str]) -> dict[str, str]:
    found = Message.objects.filter(
        wallet_id=campaign.wallet_id, message_id__in=message_ids, state__in=ENDED
    )
    return dict(found.values_list("message_id", "state"))


def _intents(campaign: Campaign, rows: Sequence[Recipient]) -> dict[str, HoldIntent]:
    found = HoldIntent.objects.filter(
        wallet_id=campaign.wallet_id, message_id__in=[row.message_id for row in rows]
    )
    return {intent.message_id: intent for intent in found}


def new_intents(campaign: Campaign, rows: Sequence[Recipient], tariff: Tariff) -> list[HoldIntent]:
    """Return unsaved intents with current abilities and prices; the rows get their abilities."""
    found = look_up([row.number for row in rows])
    quotes = quotes_of(campaign.template, tariff)
    made = []
    for row in rows:
        ability = found[row.number]
        row.supports_yuexin = ability.supports_yuexin
        row.ability_source, row.ability_age_seconds = ability.source[:40], ability.age_seconds
        priced = quotes[bool(ability.supports_yuexin)]
        made.append(
            HoldIntent(
                wallet_id=campaign.wallet_id,
                message_id=row.message_id,
                body_hash=body_hash(message_of(campaign, row, bool(ability.supports_yuexin))),
                prices=dict(priced.prices),
                others=dict(priced.others),
                quoted=priced.quoted,
                tariff_id=tariff.pk,
                chatbot_id=campaign.chatbot_id,
            )
        )
    return made


def _prepared(row: Recipient, intent: HoldIntent) -> Prepared:
    return Prepared(row, intent, yuexin="yuexin_resolved" in intent.prices)


def body_hash(message: Handover) -> str:
    """Return a hash that distinguishes two bodies with one ID."""
    body: dict[str, Any] = {
        "number": message.number,
        "native": message.native,
        "fallback": message.fallback,
    }
    raw = orjson.dumps(body, option=orjson.OPT_SORT_KEYS)
    return hashlib.blake2b(raw, digest_size=16).hexdigest()
