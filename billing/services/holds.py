"""The preparation of a hold: its body's hash, its quote, and what the books know of its ID.

The hot lane runs its own holds (billing.api.processing), campaigns theirs (services.sending).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b
from typing import Any, Final

from billing.errors import BillingError
from billing.models import Message
from billing.models.messages import State
from billing.pricing.content import Content
from billing.pricing.quotes import PriceError
from billing.services.senders import WalletRef
from billing.wallet import Charge, HoldRequest, reasons

FINAL: Final = (State.SETTLED, State.FAILED, State.EXPIRED, State.CANCELLED)
LOOK_UP_ROWS: Final = 1_000


@dataclass(frozen=True, slots=True)
class HoldItem:
    """One message to hold. `ends`: every sub-mode in which it can end (pricing.modes.ends_of).

    `body_hash` is the hash of what the sender gave (see `body_hash`): the same ID with another hash
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
    """Return the hash of a message's body: JSON values; the order of keys does not matter."""
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def request_of(ref: WalletRef, item: HoldItem, at: datetime) -> HoldRequest:
    """Return the hold request with its quote. Raise BillingError `no-tariff` or `malformed`."""
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
    """Return what the books have about messages that ended, by ID; `hashes`: ID → body hash.

    Redis forgets them after 7 days. A repeated hold gets the recorded end, another body a conflict.
    Open messages are left out: the wallet has them. Up to 1 000 IDs, one query.
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
