"""An account that sends messages, with its tariff, chatbot and tokens; and the API's callers."""

import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from billing import servers
from billing import wallet as commands
from billing.models import Chatbot, Tariff, Wallet
from billing.services.chatbots import chatbot_create, chatbot_token_create
from billing.services.tariffs import tariff_create
from billing.services.wallets import wallet_open
from poolsite.access.models import Account
from poolsite.access.services import token_create

PRICES = {
    "native_text": {"unit_price": 800},
    "native_card": {"unit_price": 2_000, "kilobytes_per_unit": 50},
    "native_session": {"unit_price": 3_000},
    "yuexin_resolved": {"unit_price": 1_500},
    "yuexin_unresolved": {"unit_price": 450},
    "video": {"unit_price": 1_200, "kilobytes_per_unit": 100},
    "call": {"unit_price": 600},
}
_COUNT = itertools.count(1)


@dataclass(frozen=True)
class Shop:
    """An account. `token` is its chatbot's, `gateway` the platform's."""

    wallet: Wallet
    chatbot: Chatbot
    tariff: Tariff | None
    token: str
    gateway: str

    @property
    def slug(self) -> str:
        return self.wallet.slug

    @property
    def account(self) -> Account:
        return self.wallet.account

    @property
    def url(self) -> str:
        return f"/api/v1/accounts/{self.slug}"

    def balance(self) -> commands.Balance:
        found = servers.path(self.wallet).run(commands.balance(self.slug))
        assert found is not None
        return found

    def pay_in(self, amount: int) -> None:
        order = f"in:{next(_COUNT)}"
        servers.path(self.wallet).run(commands.move(self.slug, order, "recharge", amount))

    def check(self) -> None:
        """Check that no figure is below zero and that open holds sum up to `held`."""
        balance = self.balance()
        proof = servers.path(self.wallet).run(commands.open_holds(self.slug))
        assert proof is not None
        assert min(balance.bal, balance.held, balance.receivable) >= 0
        assert (proof.total, proof.wrong) == (balance.held, 0)


def make_shop(
    slug: str = "acme", *, money: int = 1_000_000, tariff: bool = True, **chatbot: Any
) -> Shop:
    """Make an account with `money` units to spend."""
    account = Account.objects.create(slug=slug, name=slug.title())
    wallet = wallet_open(account, "test")
    wallet = Wallet.objects.select_related("account").get(pk=wallet.pk)
    made = chatbot_create(actor="test", account=account, slug="shop", name="Shop", **chatbot)
    secret = chatbot_token_create(actor="test", chatbot=made)
    prices = (
        tariff_create(actor="test", account=account, name="list", prices=PRICES) if tariff else None
    )
    shop = Shop(wallet, Chatbot.objects.get(pk=made.pk), prices, secret, gateway_token())
    if money:
        shop.pay_in(money)
    return shop


def gateway_token(**given: Any) -> str:
    """Return the secret of a platform's token for every wallet."""
    given = {"resources": ["wallet:*"], "actions": ["billing.hold", "billing.view"]} | given
    return token_create(name="gateway", account=None, actor="test", **given)[1]


class Caller:
    """A machine with a token that calls the application in this process."""

    def __init__(self, client: httpx.AsyncClient, shop: Shop, secret: str) -> None:
        self._client, self._shop = client, shop
        self.headers = {"Authorization": f"Bearer {secret}"} if secret else {}

    def at(self, secret: str) -> "Caller":
        """Return a caller with another token."""
        return Caller(self._client, self._shop, secret)

    async def post(self, part: str, body: Any, slug: str = "") -> httpx.Response:
        raw = {"content": body} if isinstance(body, bytes) else {"json": body}
        url = f"/api/v1/accounts/{slug or self._shop.slug}/{part}"
        return await self._client.post(url, headers=self.headers, **raw)

    async def get(self, part: str, slug: str = "") -> httpx.Response:
        url = f"/api/v1/accounts/{slug or self._shop.slug}/{part}"
        return await self._client.get(url, headers=self.headers)

    async def hold(self, message_id: str, **given: Any) -> httpx.Response:
        return await self.post("holds", text_message(message_id, **given))


def text_message(message_id: str, **given: Any) -> dict[str, Any]:
    """Return a native text message that falls back to video: quoted at 0.1200."""
    body = {"message_id": message_id, "text": "Hello", "fallback": "video", "video_kilobytes": 90}
    return body | given


@asynccontextmanager
async def calling(shop: Shop) -> AsyncIterator[Caller]:
    from poolsite.asgi import application

    transport = httpx.ASGITransport(app=application)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        yield Caller(client, shop, shop.token)
