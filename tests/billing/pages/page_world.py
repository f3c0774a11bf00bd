"""A customer whose wallet has been used: topped up, charged, corrected, flagged, persisted."""

from dataclasses import dataclass
from typing import Any

from django.test import Client

from billing import servers
from billing import wallet as commands
from billing.models import Chatbot, Tariff, Wallet
from billing.money import UNITS
from billing.persistence.running import persist_one
from billing.services.wallets import wallet_open
from poolsite.access.models import Account, User
from poolsite.access.services import grant_set, membership_set, user_create

PRICES = {"native_text": 3_000, "yuexin_resolved": 5_000, "yuexin_unresolved": 1_000}
OTHERS = {"video": 4_000}
OPENING = 100 * UNITS


@dataclass(frozen=True)
class Customer:
    """An account, its wallet, its tariff and its people by role."""

    wallet: Wallet
    tariff: Tariff
    people: dict[str, User]

    @property
    def slug(self) -> str:
        """The account's slug."""
        return self.wallet.slug

    def run(self, command: Any) -> Any:
        """Run a command of the wallet and return its answer."""
        return servers.path(self.wallet).run(command)

    def request(self, message_id: str, **more: Any) -> commands.HoldRequest:
        """Return a hold of 0.5 that may end as native text, or as Yuexin, resolved or not."""
        quote = commands.Quote(PRICES, self.tariff.pk, OTHERS)
        return commands.HoldRequest(message_id, "body", quote, chatbot="shop", **more)

    def hold(self, *message_ids: str, **more: Any) -> None:
        """Hold messages one by one."""
        for message_id in message_ids:
            assert (
                self.run(commands.hold(self.slug, self.request(message_id, **more))).answer
                == "held"
            )

    def hold_any(self, message_id: str) -> Any:
        """Hold one message and return the answer, whatever it is."""
        return self.run(commands.hold(self.slug, self.request(message_id)))

    def session(self, message_id: str) -> Any:
        """Send a session message at 0.09."""
        quote = commands.Quote({"native_session": 900}, self.tariff.pk)
        request = commands.HoldRequest(message_id, "body", quote, kind="session", chatbot="shop")
        return self.run(commands.session(self.slug, request))

    def report(self, message_id: str, mode: str | None, *, delivered: bool = True) -> Any:
        """Send a final report."""
        return self.run(
            commands.report(self.slug, commands.DeliveryReport(message_id, True, delivered, mode))
        )

    def top_up(self, operation_id: str, amount: int) -> Any:
        """Add money from outside."""
        return self.run(commands.move(self.slug, operation_id, "recharge", amount))

    def persist(self) -> None:
        """Persist everything to the books."""
        persist_one(Wallet.objects.select_related("account").get(pk=self.wallet.pk))
        self.wallet.refresh_from_db()


def customer(slug: str = "evergreen", **account: Any) -> Customer:
    """Make an account with 100 in its wallet, a tariff, a chatbot, and one member of each role."""
    row = Account.objects.create(slug=slug, name=slug.title(), **account)
    wallet = wallet_open(row, "test", opening=OPENING)
    tariff = Tariff.objects.create(
        account=row,
        name="Standard",
        valid_from=row.created_at,
        prices={
            **{mode: {"unit_price": price} for mode, price in (PRICES | OTHERS).items()},
            "yuexin_unresolved": {"unit_price": 500},
        },
    )
    Chatbot.objects.create(account=row, slug="shop", name="Shop bot")
    people = {}
    for role in ("owner", "payer", "sender", "admin", "agent"):
        people[role] = user_create(username=f"{slug}-{role}", actor="test")
        membership_set(user=people[role], account=row, roles=[role], actor="test")
    wallet = Wallet.objects.select_related("account").get(pk=wallet.pk)
    return Customer(wallet, tariff, people)


def lived(slug: str = "evergreen", **account: Any) -> Customer:
    """Make a customer with data for every page."""
    made = customer(slug, **account)
    made.top_up("recharge:1", 50 * UNITS)
    made.hold("m-text", "m-yuexin", "m-failed", "m-open", "m-late")
    made.run(commands.sent(slug, ["m-text", "m-yuexin", "m-failed"]))
    made.report("m-text", "native_text")
    made.report("m-yuexin", "yuexin_unresolved")
    made.report("m-failed", "native_text", delivered=False)
    made.run(commands.cancel(slug, "m-late"))
    made.report("m-late", "native_text")  # a contradiction: the message was cancelled
    made.persist()
    made.hold("m-fresh")  # not in the books yet
    return made


def operator(name: str = "olive", *grants: str) -> User:
    """Make an operator with these grants."""
    user = user_create(username=name, actor="test", is_operator=True)
    for grant in grants:
        grant_set(user=user, name=grant, actor="test")
    return User.objects.get(pk=user.pk)


def browser(user: User) -> Client:
    """Return a browser in which this user is logged in."""
    client = Client()
    client.force_login(user)
    return client
