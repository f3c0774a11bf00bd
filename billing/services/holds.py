"""Holds: priced by the tariff of the moment, looked up in the books, then made by the wallet.

The sync functions serve campaigns, charged calls and other workers; the hot lane runs the same
steps without blocking its loop (billing.api.processing).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b
from typing import Any, Final

from django.utils import timezone

from billing import wallet as door
from billing.errors import BillingError
from billing.models import Chatbot, HoldIntent, Message, Wallet
from billing.models.messages import State
from billing.pricing import Content, PriceError
from billing.services.senders import WalletRef, ref_of
from billing.wallet import Charge, HoldRequest, reasons
from poolsite.hotpath import HotPathError

FINAL: Final = (State.SETTLED, State.FAILED, State.EXPIRED, State.CANCELLED)
LOOK_UP_ROWS: Final = 1_000

# What became of an item: the wallet's word, a refusal before it, or the hot path's failure.
Answer = Charge | BillingError | HotPathError


@dataclass(frozen=True, slots=True)
class Item:
    """One message to hold. `ends`: every sub-mode it can end in (pricing.modes.ends_of).

    `body_hash` is that of what the sender gave (body_hash below): the same id with another one
    is a conflict.
    """

    message_id: str
    body_hash: str
    ends: tuple[str, ...]
    content: Content = field(default_factory=Content)
    chatbot: str = ""
    kind: str = "message"
    sent: bool = False


def body_hash(body: Mapping[str, Any]) -> str:
    """The hash of a message's body: JSON values, the order of keys does not matter."""
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def request_of(ref: WalletRef, item: Item, at: datetime) -> HoldRequest:
    """The hold with its quote. BillingError `no-tariff`, `malformed`."""
    try:
        quote = ref.book.quote(item.ends, item.content, at)
        return HoldRequest(
            item.message_id,
            item.body_hash,
            quote,
            kind=item.kind,
            chatbot=item.chatbot,
            sent=item.sent,
        )
    except PriceError as error:
        raise BillingError(error.kind, str(error)) from None
    except ValueError as error:
        raise BillingError("malformed", str(error)) from None


def look_back(wallet_id: int, hashes: Mapping[str, str]) -> dict[str, Charge]:
    """What the books say of messages that have ended, by id; `hashes`: id → body hash.

    Redis forgets them after 7 days. A repetition gets its end as it was, another body a conflict.
    Open ones are left out: the wallet knows them. Up to 1 000 ids, one query.
    """
    if len(hashes) > LOOK_UP_ROWS:
        raise ValueError(f"at most {LOOK_UP_ROWS} ids")
    rows = Message.objects.filter(wallet_id=wallet_id, message_id__in=list(hashes), state__in=FINAL)
    found = {}
    for row in rows.only("message_id", "body_hash", "state", "quoted", "charged"):
        same = row.body_hash == hashes[row.message_id]
        answer = reasons.REPEAT if same else reasons.CONFLICT
        found[row.message_id] = Charge(
            row.message_id, answer, row.state, row.charged, row.quoted, flag=answer
        )
    return found


def hold_batch(
    wallet: Wallet | WalletRef,
    items: Sequence[Item],
    *,
    intents: bool = False,
    at: datetime | None = None,
) -> list[Answer]:
    """Hold up to 1 000 messages, each by itself; the answers stand in the items' order.

    intents: first write to SQL what the holds are, so that a wallet that Redis loses is rebuilt
    with them. Raises Django's errors when SQL is away: nothing was held.
    """
    ref = wallet if isinstance(wallet, WalletRef) else ref_of(wallet)
    moment = at or timezone.now()
    answers: list[Answer | None] = []
    requests: dict[int, HoldRequest] = {}
    for place, item in enumerate(items):
        answers.append(None)
        try:
            requests[place] = request_of(ref, item, moment)
        except BillingError as error:
            answers[place] = error
    if ref.looks_back and requests:
        known = look_back(ref.id, {each.message_id: each.body_hash for each in requests.values()})
        for place in [p for p, each in requests.items() if each.message_id in known]:
            request = requests.pop(place)
            answers[place] = known[request.message_id]
    if intents and requests:
        intents_write(ref, list(requests.values()))
    for place, answer in zip(requests, _run(ref, list(requests.values())), strict=True):
        answers[place] = answer
    given = [answer for answer in answers if answer is not None]
    if intents:
        _intents_drop(ref, [each for each in given if isinstance(each, Charge) and each.refused])
    return given


def hold(wallet: Wallet | WalletRef, item: Item, *, intents: bool = False) -> Charge:
    """Hold one message. Raises BillingError (no tariff, malformed) and the runner's errors."""
    answer = hold_batch(wallet, [item], intents=intents)[0]
    if isinstance(answer, Exception):
        raise answer
    return answer


def chunks(requests: Sequence[HoldRequest]) -> list[Sequence[HoldRequest]]:
    """Requests in the portions that one script call takes."""
    size = door.BATCH_LIMIT
    return [requests[start : start + size] for start in range(0, len(requests), size)]


def _run(ref: WalletRef, requests: Sequence[HoldRequest]) -> list[Answer]:
    portions = chunks(requests)
    replies = ref.path.run_batch([door.hold_many(ref.slug, portion) for portion in portions])
    answers: list[Answer] = []
    for portion, reply in zip(portions, replies, strict=True):
        answers += [reply] * len(portion) if isinstance(reply, HotPathError) else reply
    return answers


def intents_write(ref: WalletRef, requests: Sequence[HoldRequest]) -> None:
    """Write what is about to be held; an intent that stands already is left as it is."""
    chatbots = {
        row.slug: row
        for row in Chatbot.objects.filter(
            account_id=ref.account_id, slug__in={each.chatbot for each in requests if each.chatbot}
        )
    }
    HoldIntent.objects.bulk_create(
        [
            HoldIntent(
                wallet_id=ref.id,
                message_id=each.message_id,
                kind=each.kind,
                body_hash=each.body_hash,
                prices=dict(each.quote.prices),
                others=dict(each.quote.others),
                quoted=each.quote.quoted,
                tariff_id=_tariff_of(each),
                chatbot=chatbots.get(each.chatbot),
            )
            for each in requests
        ],
        ignore_conflicts=True,
    )


def _tariff_of(request: HoldRequest) -> int:
    if request.quote.tariff_id is None:
        raise ValueError("an intent names the tariff of its quote")
    return request.quote.tariff_id


def _intents_drop(ref: WalletRef, refused: Sequence[Charge]) -> None:
    """A hold that was refused is not made by a rebuild either."""
    ids = [charge.message_id for charge in refused]
    if ids:
        HoldIntent.objects.filter(wallet_id=ref.id, message_id__in=ids).delete()
