"""Users' own details: their names, time zone and language."""

from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from poolsite.access.auditing import audit
from poolsite.access.models import User
from poolsite.access.rights.changes import changed
from poolsite.access.services.actor import Actor
from poolsite.moments import zone_names


def require_known_words(zone: str, locale: str) -> None:
    """Raise ValidationError for an unknown time zone or language; "" means the default."""
    if zone and zone not in zone_names():
        raise ValidationError({"zone": _("Unknown time zone. Use a name such as Asia/Shanghai.")})
    if locale and locale not in dict(settings.LANGUAGES):
        raise ValidationError({"locale": _("This language isn't supported.")})


@transaction.atomic
def profile_change(*, user: User, actor: Actor, **fields: Any) -> User:
    """Change a user's own names, zone and language. Raise ValidationError for invalid values."""
    allowed = {"first_name", "last_name", "zone", "locale"}
    unknown = set(fields) - allowed
    if unknown:
        raise ValidationError(_("“%s” can't be changed here.") % min(unknown))
    user = User.objects.select_for_update().get(pk=user.pk)
    changes = {name: value for name, value in fields.items() if getattr(user, name) != value}
    if not changes:
        return user
    before = {name: getattr(user, name) for name in changes}
    for name, value in changes.items():
        setattr(user, name, value)
    user.clean_fields()
    require_known_words(user.zone, user.locale)
    user.save(update_fields=list(changes))
    changed("user", user.pk)
    audit(actor=actor, action="access.profile_change", thing=user, before=before, after=changes)
    return user
