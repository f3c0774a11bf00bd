"""API tokens: created, shown once, revoked."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from poolsite.access.actions import Forbidden
from poolsite.access.actions import actions as registered_actions
from poolsite.access.auditing import audit
from poolsite.access.giving import may_make_platform_tokens
from poolsite.access.models import Account, ApiToken, User
from poolsite.access.models.tenants import THING
from poolsite.access.networks import checked
from poolsite.access.principal import EVERYTHING, Principal
from poolsite.access.services.actor import Actor, require, user_of
from poolsite.access.token_areas import areas_of, events_of, rights
from poolsite.access.tokens import new_secret

DEFAULT_LIFETIME = timedelta(days=365)
PERSONS_LIFETIME = timedelta(days=90)  # the default in the page's form
LONGEST_LIFETIME = timedelta(days=2 * 365)


@transaction.atomic
def token_create(
    *,
    name: str,
    account: Account | None,
    resources: Sequence[str],
    actor: Actor,
    actions: Sequence[str] = (EVERYTHING,),
    events: Sequence[str] = (EVERYTHING,),
    switch: str = "",
    networks: Sequence[str] = (),
    expires_at: datetime | None = None,
    reason: str = "",
) -> tuple[ApiToken, str]:
    """Create a token. Return it and its secret, which is stored nowhere and shown once.

    resources: objects that it may reach (`pool:retail-east`, `pool:*`, `*`). actions, events:
    names, or `*` for all that are open to tokens. networks: where it may be used, by default
    anywhere. It expires after a year by default, after two at most. account None: the platform's.
    Raise ValidationError if a field is invalid, or if a person gives a customer's token everything.
    """
    expires_at = expires_at or timezone.now() + DEFAULT_LIFETIME
    if account is not None and isinstance(actor, Principal | User):
        _refuse_everything(resources, actions)
    _check(resources, actions, events, expires_at)
    secret = new_secret()
    token = ApiToken(
        account=account,
        name=name.strip(),
        prefix=secret.prefix,
        secret_hash=secret.hash,
        resources=sorted(set(resources)),
        actions=sorted(set(actions)),
        events=sorted(set(events)),
        switch=switch,
        networks=_networks(networks),
        created_by=user_of(actor),
        expires_at=expires_at,
    )
    token.full_clean(exclude=["created_by", "events"])  # a token without events only reads
    token.save()
    audit(
        actor=actor,
        action="access.token_create",
        thing=token,
        after={
            "prefix": token.prefix,
            "resources": token.resources,
            "actions": token.actions,
            "events": token.events,
            "switch": switch,
            "networks": token.networks,
            "expires_at": expires_at,
        },
        reason=reason,
    )
    return token, secret.plain


def token_issue(
    *,
    name: str,
    account: Account | None,
    resources: Sequence[str],
    actions: Sequence[str],
    actor: Principal,
    events: Sequence[str] = (),
    switch: str = "",
    networks: Sequence[str] = (),
    expires_at: datetime | None = None,
) -> tuple[ApiToken, str]:
    """Create a token as people do, on the page and through the API; by default for 90 days.

    Without events it may send those of its permissions. Raise Forbidden for a platform token
    without the grant `operate`, Hidden for another account, and ValidationError like
    `token_create`, and for a permission that the page does not offer or that has no resource.
    """
    if account is not None:
        require(actor, "access.tokens_change", account)
    elif not may_make_platform_tokens(actor):
        raise Forbidden("access.tokens_change")
    known = rights()
    for each in actions:
        if each not in known:
            raise ValidationError({"actions": _("Unknown permission: “%s”.") % each})
    kinds = {ref.partition(":")[0] for ref in resources}
    for area in areas_of(actions):
        if area.kind not in kinds and EVERYTHING not in kinds:
            raise ValidationError({"resources": area.choose})
    return token_create(
        name=name,
        account=account,
        resources=resources,
        actions=actions,
        events=events or events_of(actions),
        switch=switch,
        networks=networks,
        expires_at=expires_at or timezone.now() + PERSONS_LIFETIME,
        actor=actor,
    )


def _refuse_everything(resources: Sequence[str], actions: Sequence[str]) -> None:
    """Refuse `*`: a customer's token names what it is for. Parts of the system may use it."""
    if EVERYTHING in resources:
        raise ValidationError({"resources": _("Choose resources. * is not allowed here.")})
    if EVERYTHING in actions:
        raise ValidationError({"actions": _("Choose permissions. * is not allowed here.")})


def _networks(networks: Sequence[str]) -> list[str]:
    try:
        return checked(networks)
    except ValidationError as error:
        raise ValidationError({"networks": error.messages}) from None


def _check(
    resources: Sequence[str], actions: Sequence[str], events: Sequence[str], expires_at: datetime
) -> None:
    if not resources:
        raise ValidationError({"resources": _("Enter at least one resource, or *.")})
    for each in resources:
        if each != EVERYTHING:
            THING(each)
    open_to_tokens = {name for name, rule in registered_actions().items() if rule.tokens}
    for each in actions:
        if each != EVERYTHING and each not in open_to_tokens:
            raise ValidationError({"actions": _("Tokens can't have the permission “%s”.") % each})
    if not actions:
        raise ValidationError({"actions": _("Choose at least one permission.")})
    if not events and (EVERYTHING in actions or events_of(actions)):
        raise ValidationError({"events": _("Enter at least one event, or *.")})
    now = timezone.now()
    if not now < expires_at <= now + LONGEST_LIFETIME + timedelta(minutes=1):
        raise ValidationError(
            {"expires_at": _("Choose an expiry date in the future, no more than two years away.")}
        )


@transaction.atomic
def token_revoke(*, token: ApiToken, actor: Actor, reason: str = "") -> ApiToken:
    """Revoke a token everywhere, at once; a second call changes nothing."""
    token = ApiToken.objects.select_for_update().get(pk=token.pk)
    if token.revoked_at is not None:
        return token
    token.revoked_at = timezone.now()
    token.save(update_fields=["revoked_at"])
    audit(
        actor=actor,
        action="access.token_revoke",
        thing=token,
        before={"prefix": token.prefix},
        reason=reason,
    )
    return token
