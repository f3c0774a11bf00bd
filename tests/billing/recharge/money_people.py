"""The paying customers and the operators of these tests, and the events that Stripe sends."""

import itertools
import json
import time
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import stripe
from django.test import Client

from billing import servers
from billing import wallet as commands
from billing.models import Recharge, Wallet
from billing.money import UNITS
from billing.services.recharges import recharge_start
from billing.services.wallets import wallet_open
from poolsite.access.models import Account, User
from poolsite.access.services import grant_set, membership_set, user_create

SECRET = "whsec_of_these_tests"
API_KEY = "sk_test_of_these_tests"
EVENTS_URL = "/payments/events/stripe/"
_COUNT = itertools.count(1)


@dataclass(frozen=True)
class Payers:
    """An account with its wallet and its owner."""

    wallet: Wallet
    owner: User

    @property
    def slug(self) -> str:
        return self.wallet.slug


def payers(slug: str = "acme", currency: str = "CNY", zone: str = "Asia/Shanghai") -> Payers:
    """Make an account with an owner and an open wallet without money."""
    account = Account.objects.create(slug=slug, name=slug.title(), currency=currency, zone=zone)
    owner = user_create(username=f"{slug}-owner", actor="test")
    membership_set(user=owner, account=account, roles=["owner"], actor="test")
    wallet = wallet_open(account, "test")
    return Payers(Wallet.objects.select_related("account").get(pk=wallet.pk), owner)


def operator(name: str, *grants: str) -> User:
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


def figures(wallet: Wallet) -> commands.Balance:
    """Return the wallet as Redis has it."""
    found = servers.path(wallet).run(commands.balance(wallet.slug))
    assert found is not None
    return found


def spendable(wallet: Wallet) -> int:
    """Return what can be spent, as Redis has it, in 1/10 000 of a currency unit."""
    return figures(wallet).bal


def started(people: Payers, amount: int = 100, variant: str = "stripe", **more: Any) -> Recharge:
    """Start a top-up of `amount` currency units that is not paid yet."""
    return recharge_start(
        people.wallet,
        actor="test",
        amount=amount * UNITS,
        variant=variant,
        token=uuid4(),
        **more,
    )


# -- what Stripe sends ---------------------------------------------------------------------------


def event(kind: str, found: dict[str, Any], event_id: str = "") -> dict[str, Any]:
    """Return an event in the form of Stripe's API."""
    return {
        "id": event_id or f"evt_{next(_COUNT)}",
        "object": "event",
        "api_version": "2026-02-25.clover",
        "created": 1_790_000_000,
        "type": kind,
        "data": {"object": found},
        "livemode": False,
        "pending_webhooks": 1,
    }


def session(recharge: Recharge, **changes: Any) -> dict[str, Any]:
    """Return a paid checkout session, as Stripe describes it."""
    cents = recharge.amount * 100 // UNITS
    return {
        "id": f"cs_test_{recharge.pk}",
        "object": "checkout.session",
        "amount_subtotal": cents,
        "amount_total": cents,
        "client_reference_id": recharge.token,
        "currency": recharge.currency.lower(),
        "customer": None,
        "mode": "payment",
        "payment_intent": f"pi_{recharge.pk}",
        "payment_status": "paid",
        "status": "complete",
        **changes,
    }


def completed(recharge: Recharge, event_id: str = "", **changes: Any) -> dict[str, Any]:
    """Return the event that reports a paid checkout."""
    return event("checkout.session.completed", session(recharge, **changes), event_id)


def refunded(recharge: Recharge, cents: int, **changes: Any) -> dict[str, Any]:
    """Return the event that reports the sum of a charge's refunds."""
    charge = {
        "id": f"ch_{recharge.pk}",
        "object": "charge",
        "amount": recharge.amount * 100 // UNITS,
        "amount_refunded": cents,
        "currency": recharge.currency.lower(),
        "payment_intent": f"pi_{recharge.pk}",
        "refunded": True,
        **changes,
    }
    return event("charge.refunded", charge)


def dispute(recharge: Recharge, kind: str, **changes: Any) -> dict[str, Any]:
    """Return a chargeback that took or gave back the money: funds_withdrawn, funds_reinstated."""
    found = {
        "id": f"du_{recharge.pk}",
        "object": "dispute",
        "amount": recharge.amount * 100 // UNITS,
        "currency": recharge.currency.lower(),
        "payment_intent": f"pi_{recharge.pk}",
        "reason": "fraudulent",
        **changes,
    }
    return event(f"charge.dispute.{kind}", found)


def send(
    said: dict[str, Any] | str, *, secret: str = SECRET, at: int | None = None, header: str = ""
) -> Any:
    """Send an event as Stripe does, signed over its raw body."""
    body = said if isinstance(said, str) else json.dumps(said)
    signed = stripe.WebhookSignature.generate_signature_header(
        body, secret, int(time.time()) if at is None else at
    )
    return Client().post(
        EVENTS_URL,
        data=body,
        content_type="application/json",
        headers={"Stripe-Signature": header or signed},
    )


def answer(said: dict[str, Any] | str, **more: Any) -> tuple[int, str]:
    """Send an event. Return the answer's status and text."""
    response = send(said, **more)
    found = json.loads(response.content)
    return response.status_code, found.get("answer") or found["error"]
