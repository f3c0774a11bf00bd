"""Switches of a pool, and the tokens with which they report."""

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from numbers.models import Pool, Switch, SwitchKind
from numbers.services.common import send_after_commit
from numbers.services.pools import apply_settings
from poolsite import access
from poolsite.access.services import token_create, token_revoke
from poolsite.access.services.actor import Actor, clean_reason, require


def switch_create(
    *, actor: Actor, pool: Pool, name: str, kind: str = SwitchKind.PROXY, reason: str = ""
) -> tuple[Switch, str]:
    """Create a switch and its token. Return it and the token's secret, which is shown once.

    A switch that already reported under this name keeps its history, and gets the token and the
    kind.
    """
    require(actor, "numbers.operate", pool)
    name = name.strip()
    with transaction.atomic():
        switch = Switch.objects.filter(pool=pool, name=name).first()
        if switch is not None and switch.token is not None and switch.token.is_live:
            raise ValidationError({"name": _("This switch has a token. Revoke it first.")})
        switch = switch or Switch(pool=pool, name=name)
        switch.kind, switch.kind_chosen = kind, True
        switch.full_clean(exclude=["token"], validate_unique=False)
        token, secret = token_create(
            name=f"{pool.slug} {name}"[:80],
            account=pool.account,
            resources=[f"pool:{pool.slug}"],
            actor=actor,
            actions=["numbers.event", "numbers.view"],
            events=["*"],
            switch=name,
            reason=reason,
        )
        switch.token = token
        try:
            with transaction.atomic():
                switch.save()
        except IntegrityError:
            raise ValidationError(
                {"name": _("This pool already has a switch with this name.")}
            ) from None
        access.audit(
            actor=actor,
            action="numbers.switch_create",
            thing=pool,
            label=f"{pool.slug} {name}",
            after={"switch": name, "kind": str(kind), "token": token.prefix},
            reason=clean_reason(reason),
        )
        _tell_redis(pool)
    return switch, secret


def switch_configure(*, actor: Actor, switch: Switch, kind: str, reason: str = "") -> Switch:
    """Choose how a restart of the switch affects its calls. It applies from the next restart."""
    pool = switch.pool
    require(actor, "numbers.operate", pool)
    with transaction.atomic():
        switch = Switch.objects.select_for_update(of=("self",)).get(pk=switch.pk)
        before, was_chosen = switch.kind, switch.kind_chosen
        switch.kind, switch.kind_chosen = kind, True
        switch.full_clean(exclude=["token"], validate_unique=False)
        if (before, was_chosen) == (switch.kind, True):
            return switch
        switch.save(update_fields=["kind", "kind_chosen"])
        access.audit(
            actor=actor,
            action="numbers.switch_configure",
            thing=pool,
            label=f"{pool.slug} {switch.name}",
            before={"kind": before},
            after={"kind": switch.kind},
            reason=clean_reason(reason),
        )
        _tell_redis(pool)
    return switch


def switch_delete(*, actor: Actor, switch: Switch, reason: str = "") -> None:
    """Delete a switch and revoke its token. Its calls in progress end with their leases."""
    require(actor, "numbers.operate", switch.pool)
    with transaction.atomic():
        if switch.token is not None and switch.token.is_live:
            token_revoke(token=switch.token, actor=actor, reason=reason or "switch deleted")
        access.audit(
            actor=actor,
            action="numbers.switch_delete",
            thing=switch.pool,
            label=f"{switch.pool.slug} {switch.name}",
            before={"switch": switch.name},
            reason=clean_reason(reason),
        )
        switch.delete()
        _tell_redis(switch.pool)


def _tell_redis(pool: Pool) -> None:
    send_after_commit(pool, lambda: apply_settings(pool))
