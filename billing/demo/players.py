"""The demo's simulated gateway and customers' chatbots, and their tokens."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings

from billing.models import Chatbot, Template, Wallet
from billing.services.chatbots import chatbot_token_create
from poolsite.access.models import Account, ApiToken
from poolsite.access.services import token_create
from poolsite.access.tokens import hash_of
from poolsite.operations.models import WebhookEndpoint
from poolsite.operations.webhooks.services import endpoint_change, endpoint_create
from poolsite.runtime.demo_data import ACTOR

LISTENER, ENDPOINT = "evergreen", "Evergreen order system"


def gateway_of(known: dict[str, Any]) -> dict[str, Any]:
    """Return the simulated gateway's token for status reports. An earlier token is reused.

    The gateway also acts as the server that receives an account's webhooks.
    """
    secret = str(known.get("report_token", ""))
    webhooks = {"webhook_secret": _webhook_secret()}
    if secret and _lives(secret):
        return known | webhooks
    _, secret = token_create(
        name="gateway",
        account=None,
        resources=["wallet:*"],
        actions=["billing.hold"],
        events=["settle"],
        actor=ACTOR,
    )
    return {"report_token": secret, **webhooks}


def _webhook_secret() -> str:
    """Return the signing secret of the gateway's webhook endpoint, or "" if there is none.

    The gateway runs on this machine, so webhooks reach it only if private addresses are allowed.
    """
    account = Account.objects.filter(slug=LISTENER).first()
    is_reached = settings.BILLING_GATEWAY_URL and settings.OUTGOING_PRIVATE_ADDRESSES
    if account is None or not is_reached:
        return ""
    url = f"{settings.BILLING_GATEWAY_URL}/webhooks"
    found = WebhookEndpoint.objects.filter(account=account, name=ENDPOINT).first()
    if found is None:
        found = endpoint_create(actor=ACTOR, account=account, name=ENDPOINT, url=url, events=["*"])
    elif found.url != url:  # the demo now uses other ports
        found = endpoint_change(endpoint=found, actor=ACTOR, url=url)
    return found.secret


def chatbots_of(known: list[dict[str, Any]], wallets: Sequence[Wallet]) -> list[dict[str, Any]]:
    """Return a chatbot of each account, which sends some messages through the public API."""
    by_account = {each["account"]: each for each in known}
    made = []
    for wallet in wallets:
        before = by_account.get(wallet.slug)
        if before is not None and _lives(before["token"]):
            made.append(before)
            continue
        chatbot = Chatbot.objects.filter(account=wallet.account).order_by("-pk").first()
        template = Template.objects.filter(chatbot=chatbot).first() if chatbot else None
        if chatbot is None or template is None:
            continue
        made.append(
            {
                "account": wallet.slug,
                "chatbot": chatbot.slug,
                "template": template.pk,
                "token": chatbot_token_create(actor=ACTOR, chatbot=chatbot),
                "messages_per_minute": 12,
                "sessions_per_minute": 3,
            }
        )
    return made


def _lives(secret: str) -> bool:
    """Whether a token from an earlier start is still valid."""
    found = ApiToken.objects.filter(secret_hash=hash_of(secret)).first()
    return found is not None and found.is_live
