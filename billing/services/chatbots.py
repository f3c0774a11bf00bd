"""Chatbots: they send in an account's name, each with its own token and rate limit."""

from typing import Final

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from billing.models import Chatbot, Wallet
from billing.rules import SENDER_EVENTS
from billing.services.acting import clean_line
from poolsite import access
from poolsite.access.models import Account, ApiToken
from poolsite.access.models.tenants import refuse_reserved
from poolsite.access.services import token_create, token_revoke
from poolsite.access.services.actor import Actor, require

RATE_LIMIT: Final = 1_000_000  # messages per second


@transaction.atomic
def chatbot_create(
    *, actor: Actor, account: Account, slug: str, name: str, rate_limit: int = 0
) -> Chatbot:
    """Add a chatbot. `rate_limit`: messages per second, 0 = none. Raise ValidationError if bad."""
    require(actor, "billing.send", account)
    chatbot = Chatbot(account=account, slug=slug.strip(), name=name.strip(), rate_limit=rate_limit)
    refuse_reserved(chatbot.slug)
    _check(chatbot)
    chatbot.save()
    access.audit(
        actor=actor,
        action="billing.chatbot_create",
        thing=chatbot,
        after={"slug": chatbot.slug, "name": chatbot.name, "rate_limit": rate_limit},
    )
    return chatbot


@transaction.atomic
def chatbot_change(
    *, actor: Actor, chatbot: Chatbot, name: str, rate_limit: int, reason: str = ""
) -> Chatbot:
    """Change name and rate limit; the slug never changes.

    Raise ValidationError if a value is bad.
    """
    require(actor, "billing.send", chatbot)
    chatbot = Chatbot.objects.select_for_update().get(pk=chatbot.pk)
    before = {"name": chatbot.name, "rate_limit": chatbot.rate_limit}
    chatbot.name, chatbot.rate_limit = name.strip(), rate_limit
    _check(chatbot)
    after = {"name": chatbot.name, "rate_limit": rate_limit}
    if after != before:
        chatbot.save(update_fields=["name", "rate_limit"])
        access.audit(
            actor=actor,
            action="billing.chatbot_change",
            thing=chatbot,
            before=before,
            after=after,
            reason=clean_line(reason),
        )
    return chatbot


@transaction.atomic
def chatbot_archive(*, actor: Actor, chatbot: Chatbot, archived: bool = True) -> Chatbot:
    """Archive a chatbot, which revokes its token, or restore it. Its history stays."""
    require(actor, "billing.send", chatbot)
    chatbot = Chatbot.objects.select_for_update().get(pk=chatbot.pk)
    if (chatbot.archived_at is not None) == archived:
        return chatbot
    chatbot.archived_at = timezone.now() if archived else None
    if archived and chatbot.token_id is not None:
        token_revoke(token=ApiToken.objects.get(pk=chatbot.token_id), actor=actor)
    chatbot.save(update_fields=["archived_at"])
    action = "billing.chatbot_archive" if archived else "billing.chatbot_restore"
    access.audit(actor=actor, action=action, thing=chatbot)
    return chatbot


@transaction.atomic
def chatbot_token_create(*, actor: Actor, chatbot: Chatbot) -> str:
    """Give a chatbot a new token, for this account's wallet and this chatbot only.

    Return the secret, which is shown once. The previous token is revoked.
    """
    require(actor, "billing.send", chatbot)
    chatbot = Chatbot.objects.select_for_update().get(pk=chatbot.pk)
    if chatbot.archived_at is not None:
        raise ValidationError(_("This chatbot is archived."))
    if not Wallet.objects.filter(account=chatbot.account).exists():
        raise ValidationError(_("This account has no balance yet. Open a balance first."))
    before = chatbot.token
    chatbot.token, secret = token_create(
        name=f"chatbot {chatbot.slug}",
        account=chatbot.account,
        resources=[f"wallet:{chatbot.account.slug}"],
        actions=["billing.hold", "billing.view"],
        events=SENDER_EVENTS,
        actor=actor,
    )
    chatbot.save(update_fields=["token"])
    if before is not None:
        token_revoke(token=before, actor=actor, reason="replaced")
    access.audit(
        actor=actor,
        action="billing.chatbot_token",
        thing=chatbot,
        after={"prefix": chatbot.token.prefix},
    )
    return secret


def _check(chatbot: Chatbot) -> None:
    rate: object = chatbot.rate_limit  # given by a caller, so it is not trusted
    if isinstance(rate, bool) or not isinstance(rate, int) or not 0 <= rate <= RATE_LIMIT:
        raise ValidationError({"rate_limit": _("Enter a whole number from 0 to %d.") % RATE_LIMIT})
    if not chatbot.name.isprintable():
        raise ValidationError({"name": _("A name can't contain control characters.")})
    chatbot.full_clean(exclude=["token"])
