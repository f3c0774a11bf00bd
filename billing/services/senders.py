"""What charging needs of an account, as one value: its wallet, tariffs and chatbots."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Q
from django.utils import timezone

from billing import servers
from billing.models import Chatbot, Tariff, Template, Wallet
from billing.pricing.book import Book, Version
from billing.pricing.content import Content, content_of
from billing.pricing.tariff import read_prices
from poolsite.hotpath import HotPath

# Redis forgets a final message after 7 days; only then can a wallet's messages be in SQL alone.
LOOK_BACK_AFTER: Final = timedelta(days=6)
# Tariffs that may become valid while this value is in use.
AHEAD: Final = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class ChatbotRef:
    """One chatbot. `token_id` is the token that may send only in its name."""

    slug: str
    token_id: int | None
    rate_limit: int


@dataclass(frozen=True, slots=True)
class WalletRef:
    """A wallet as the hot lane uses it; access treats it as an object of its tenant.

    `looks_back`: messages may have ended longer ago than Redis remembers.
    """

    id: int
    slug: str
    account_id: int
    currency: str
    redis: str
    looks_back: bool
    book: Book
    chatbots: Mapping[str, ChatbotRef]

    access_kind = "wallet"

    @property
    def access_ref(self) -> str:
        """The name of the wallet in tokens and grants."""
        return f"wallet:{self.slug}"

    @property
    def path(self) -> HotPath:
        """The hot path of the wallet's Redis. Raise servers.UnknownServerError."""
        return servers.named(self.redis)

    def chatbot_of_token(self, token_id: str) -> ChatbotRef | None:
        """Return the chatbot whose token this is, or None."""
        for chatbot in self.chatbots.values():
            if chatbot.token_id is not None and str(chatbot.token_id) == token_id:
                return chatbot
        return None


def wallet_ref(slug: str) -> WalletRef | None:
    """Return the wallet of an account by the account's slug, or None; three queries."""
    wallet = Wallet.objects.select_related("account").filter(account__slug=slug).first()
    return None if wallet is None else ref_of(wallet)


def ref_of(wallet: Wallet) -> WalletRef:
    """Return the value of a wallet row, as `wallet_ref` does."""
    now = timezone.now()
    return WalletRef(
        id=wallet.pk,
        slug=wallet.account.slug,
        account_id=wallet.account_id,
        currency=wallet.account.currency,
        redis=wallet.redis,
        looks_back=wallet.generation > 1 or wallet.created_at < now - LOOK_BACK_AFTER,
        book=_book(wallet.account_id, now),
        chatbots=_chatbots(wallet.account_id),
    )


def _book(account_id: int, now: datetime) -> Book:
    rows = Tariff.objects.filter(account_id=account_id, valid_from__lt=now + AHEAD)
    rows = rows.filter(Q(valid_until=None) | Q(valid_until__gt=now - AHEAD))
    return Book(
        tuple(
            Version(
                *(row.pk, row.valid_from, row.valid_until),
                read_prices(row.prices),
                row.rates_digest,
            )
            for row in rows.order_by("valid_from")
        )
    )


def _chatbots(account_id: int) -> dict[str, ChatbotRef]:
    rows = Chatbot.objects.filter(account_id=account_id, archived_at=None)
    return {
        slug: ChatbotRef(slug, token_id, rate_limit)
        for slug, token_id, rate_limit in rows.values_list("slug", "token_id", "rate_limit")
    }


@dataclass(frozen=True, slots=True)
class TemplateRef:
    """The parts of a template that decide a price."""

    account_id: int
    chatbot: str
    native: str
    content: Content


def template_ref(key: str) -> TemplateRef | None:
    """Return a template by its ID as text, or None if it is missing or archived."""
    rows = Template.objects.select_related("chatbot")
    template = rows.filter(pk=key, archived_at=None, chatbot__archived_at=None).first()
    if template is None:
        return None
    return TemplateRef(
        template.account_id, template.chatbot.slug, template.native_kind, content_of(template)
    )
