"""The Redis users of switches that run a pool's scripts themselves."""

import secrets

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from numbers.models import Pool
from numbers.pool.switch_user import SwitchUser, switch_user
from poolsite import access, hotpath
from poolsite.access.services.actor import Actor, require

PASSWORD_BYTES = 32
PASSWORD_SHORTEST = 16


def switch_user_make(
    *, actor: Actor, pool: Pool, switch: str, password: str = "", apply: bool = False
) -> tuple[SwitchUser, str, list[str]]:
    """Return a switch's Redis user, its password, and the masters that lose it on a restart.

    Without `password`, one is generated. With `apply`, every master of the default Redis gets the
    user immediately, replacing one with the same name, and the audit log records it. Otherwise
    nothing is changed.
    """
    require(actor, "numbers.operate", pool)
    password = password or secrets.token_urlsafe(PASSWORD_BYTES)
    if len(password) < PASSWORD_SHORTEST:
        message = _("Use a password of at least %(count)s characters.")
        raise ValidationError(message % {"count": PASSWORD_SHORTEST})
    path = hotpath.default()
    try:
        user = switch_user(
            pool.slug,
            switch,
            password,
            cluster=path.address.topology == "cluster",
            functions=path.knows_functions(),
        )
    except ValueError:
        raise ValidationError(
            _("A Redis user needs a switch name of 1 to 64 letters, digits and . _ : @ -")
        ) from None
    if not apply:
        return user, password, []
    with transaction.atomic():
        access.audit(
            actor=actor,
            action="numbers.switch_user",
            thing=pool,
            label=f"{pool.slug} {switch}",
            after={"switch": switch, "redis_user": user.name},
        )
    return user, password, path.set_user(user.name, user.rules)
