"""Accounts: the tenants."""

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from poolsite.access.auditing import audit
from poolsite.access.models import Account
from poolsite.access.services.actor import Actor
from poolsite.access.services.profile import require_known_words


@transaction.atomic
def account_create(
    *,
    slug: str,
    name: str,
    actor: Actor,
    zone: str = "",
    currency: str = "",
    locale: str = "en",
    reason: str = "",
) -> Account:
    """Create an account. Raise ValidationError for invalid fields.

    The zone and the currency default to the platform's.
    """
    account = Account(
        slug=slug,
        name=name,
        zone=zone or settings.PLATFORM_ZONE,
        currency=(currency or settings.PLATFORM_CURRENCY).upper(),
        locale=locale,
    )
    _check(account)
    account.save()
    audit(
        actor=actor,
        action="access.account_create",
        thing=account,
        after={"slug": slug, "name": name, "zone": account.zone, "currency": account.currency},
        reason=reason,
    )
    return account


@transaction.atomic
def account_change(
    *,
    account: Account,
    actor: Actor,
    name: str | None = None,
    zone: str | None = None,
    locale: str | None = None,
    reason: str = "",
) -> Account:
    """Change the account's fields, except the slug and the currency, which never change."""
    wanted = {"name": name, "zone": zone, "locale": locale}
    account = Account.objects.select_for_update().get(pk=account.pk)
    changes = {
        field: value
        for field, value in wanted.items()
        if value is not None and getattr(account, field) != value
    }
    if not changes:
        return account
    before = {field: getattr(account, field) for field in changes}
    for field, value in changes.items():
        setattr(account, field, value)
    _check(account)
    account.save(update_fields=list(changes))
    audit(
        actor=actor,
        action="access.account_change",
        thing=account,
        before=before,
        after=changes,
        reason=reason,
    )
    return account


def _check(account: Account) -> None:
    account.full_clean()
    require_known_words(account.zone, account.locale)
    if len(account.currency) != 3 or not account.currency.isalpha():
        raise ValidationError({"currency": _("Enter a three-letter currency code, such as CNY.")})
