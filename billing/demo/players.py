"""Who plays the gateway and the customers' chatbots in the demo, and by which tokens."""

from collections.abc import Sequence
from typing import Any

from billing.models import Chatbot, Template, Wallet
from billing.services.chatbots import chatbot_token_create
from poolsite.access.models import ApiToken
from poolsite.access.services import token_create
from poolsite.access.tokens import hash_of
from poolsite.runtime.demo_data import ACTOR


def gateway_of(known: dict[str, Any]) -> dict[str, Any]:
    """The simulated gateway's own token for status reports; an earlier one goes on."""
    secret = str(known.get("report_token", ""))
    if secret and _lives(secret):
        return known
    _, secret = token_create(
        name="gateway",
        account=None,
        resources=["wallet:*"],
        actions=["billing.hold"],
        events=["settle"],
        actor=ACTOR,
    )
    return {"report_token": secret}


def chatbots_of(known: list[dict[str, Any]], wallets: Sequence[Wallet]) -> list[dict[str, Any]]:
    """A chatbot of each account that sends by the public interface, now and then."""
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
    """Whether a token of an earlier start can still be used."""
    found = ApiToken.objects.filter(secret_hash=hash_of(secret)).first()
    return found is not None and found.is_live
