"""Messages, and all that is known about one: entries, reports, prices, recipient. Tenant-safe."""

from dataclasses import dataclass, field

from django.db.models import QuerySet

from billing.models import (
    Chatbot,
    FlaggedReport,
    HoldIntent,
    JournalEntry,
    Message,
    Recipient,
    Tariff,
    Wallet,
)
from billing.pricing.modes import MODES
from billing.selectors.flagged import of_message
from billing.selectors.wallets import in_visible_wallets
from poolsite.access import Principal

STORY_ENTRIES = 200


def visible_messages(principal: Principal, action: str = "billing.view") -> QuerySet[Message]:
    """Return the messages of the wallets that the principal may see."""
    rows = Message.objects.select_related("wallet__account")
    return in_visible_wallets(rows, principal, action)


@dataclass(frozen=True)
class PriceLine:
    """The price of a message in one sub-mode, as it was stored, in units."""

    mode: str
    price: int
    is_end: bool  # the message can end in this mode, so its price counts for the quote
    is_quote: bool
    is_kept: bool
    unit_price: int | None = None
    units: int | None = None
    rule: str = ""


@dataclass(frozen=True)
class Story:
    """All data about one message.

    If `message` is None, only Redis can have the message, if at all.
    """

    wallet: Wallet
    message_id: str
    message: Message | None
    entries: list[JournalEntry] = field(default_factory=list)
    reports: list[FlaggedReport] = field(default_factory=list)
    intent: HoldIntent | None = None
    recipient: Recipient | None = None
    tariff: Tariff | None = None
    chatbot: Chatbot | None = None


def story(wallet: Wallet, message_id: str) -> Story:
    """Return the data that SQL has about one message of a wallet."""
    mine = {"wallet": wallet, "message_id": message_id}
    message = Message.objects.filter(**mine).first()
    entries = JournalEntry.objects.filter(wallet=wallet, operation_id=message_id)
    intent = HoldIntent.objects.filter(**mine).first()
    tariff_id = message.tariff_id if message else intent.tariff_id if intent else None
    slug = message.chatbot if message else ""
    return Story(
        wallet,
        message_id,
        message,
        list(entries.order_by("-generation", "-seq")[:STORY_ENTRIES]),
        of_message(wallet.pk, message_id),
        intent,
        Recipient.objects.select_related("campaign__template__chatbot")
        .filter(message_id=message_id, campaign__wallet=wallet)
        .first(),
        Tariff.objects.filter(pk=tariff_id or 0, account=wallet.account_id).first(),
        Chatbot.objects.filter(account=wallet.account_id, slug=slug).first() if slug else None,
    )


def price_lines(
    prices: dict[str, int], others: dict[str, int], kept_mode: str, tariff: Tariff | None
) -> list[PriceLine]:
    """Return the stored prices as lines, those that count for the quote first.

    Each line has the unit price and the number of units.
    """
    most = max(prices.values(), default=None)
    lines = []
    for mode, price in [*_ordered(prices), *_ordered(others)]:
        unit, rule = _rule_of(tariff, mode)
        lines.append(
            PriceLine(
                mode,
                price,
                mode in prices,
                mode in prices and price == most,
                bool(kept_mode) and mode == kept_mode,
                unit,
                price // unit if unit and price % unit == 0 else None,
                rule,
            )
        )
    return lines


def _ordered(prices: dict[str, int]) -> list[tuple[str, int]]:
    known = {mode: place for place, mode in enumerate(MODES)}
    return sorted(prices.items(), key=lambda pair: known.get(pair[0], len(known)))


def _rule_of(tariff: Tariff | None, mode: str) -> tuple[int | None, str]:
    """Return the unit price, and the unit: message, segments, characters or kilobytes."""
    row = tariff.prices.get(mode) if tariff is not None else None
    if not isinstance(row, dict):
        return None, ""
    if row.get("characters_per_unit"):
        return row["unit_price"], f"characters:{row['characters_per_unit']}"
    if row.get("kilobytes_per_unit"):
        return row["unit_price"], f"kilobytes:{row['kilobytes_per_unit']}"
    return row["unit_price"], "segments" if mode == "yuexin_unresolved" else "message"
