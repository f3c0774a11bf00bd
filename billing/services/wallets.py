"""A wallet's lifetime: opened, configured, frozen, closed; SQL decides, and Redis follows.

Every change is written to SQL with the mark `unsent_since`, in one transaction. After the commit it
is sent to Redis. If Redis is away, the sweep sends it until Redis takes it.
"""

import logging
import secrets
from functools import partial
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from redis.exceptions import RedisError

from billing import servers, webhook_events
from billing import wallet as commands
from billing.models import Wallet
from billing.money import LIMIT
from billing.services.acting import clean_line, locked, wrong_state
from billing.services.recharges import check_amount
from billing.services.wallet_settings import settings_of
from poolsite import access, hotpath, live
from poolsite.access.models import Account
from poolsite.access.services.actor import Actor, require
from poolsite.hotpath import Command

logger = logging.getLogger(__name__)
Status = Wallet.Status
SEND_AT_ONCE = 200
FIRST_GENERATION = 1  # a rebuilt wallet has another generation, and the rebuild creates its data
# What a customer's settings page may change; an operator may change more.
CUSTOMERS = ("daily_limit", "alert_below", "top_up_below", "top_up_amount", "top_up_daily_count")
_IN_REDIS = ("daily_limit", "log_limit")


def wallet_open(account: Account, actor: Actor, *, opening: int = 0) -> Wallet:
    """Return the account's wallet; create it if there is none. Its Redis data follows the commit.

    `opening` is what an older system owed the customer. Raise ValidationError if it is below zero
    or too large.
    """
    require(actor, "billing.finance", account)
    if not 0 <= opening < LIMIT:
        raise ValidationError(_("Enter an amount, such as 12.50."))
    with transaction.atomic():
        wallet, made = Wallet.objects.select_related("account").get_or_create(
            account=account,
            defaults={"opening": opening, "spendable": opening, "unsent_since": timezone.now()},
        )
        if made:
            access.audit(
                actor=actor,
                action="billing.wallet_open",
                thing=wallet,
                after={"opening": opening, "currency": account.currency},
            )
            _after_commit(wallet)
    return wallet


def wallet_configure(wallet: Wallet, *, actor: Actor, reason: str = "", **values: Any) -> Wallet:
    """Change limits and rules; they apply from the next hold.

    Raise ValidationError for bad values.
    """
    require(actor, "billing.pay", wallet)
    if set(values) - {*CUSTOMERS, "log_limit"}:
        raise ValueError(f"not a setting: {sorted(values)}")
    if "log_limit" in values:
        require(actor, "billing.finance", wallet)
    with transaction.atomic():
        wallet = locked(wallet)
        before = {name: getattr(wallet, name) for name in values}
        changed = {name: value for name, value in values.items() if before[name] != value}
        if not changed:
            return wallet
        for name, value in changed.items():
            setattr(wallet, name, value)
        _check(wallet)
        wallet.save(update_fields=list(changed))
        access.audit(
            actor=actor,
            action="billing.wallet_configure",
            thing=wallet,
            before={name: before[name] for name in changed},
            after=changed,
            reason=clean_line(reason),
        )
        if set(changed) & set(_IN_REDIS):
            _mark(wallet)
        live.touch(f"billing.wallet:{wallet.slug}")
    return wallet


def _check(wallet: Wallet) -> None:
    for name in ("daily_limit", "alert_below", "top_up_below", "top_up_amount"):
        if not 0 <= getattr(wallet, name) < LIMIT:
            raise ValidationError({name: _("Enter an amount, such as 12.50.")})
    wallet.clean_fields(exclude=["account"])
    if not wallet.top_up_below:
        return
    if wallet.top_up_amount < wallet.top_up_below:
        raise ValidationError(
            {"top_up_amount": _("The automatic top-up amount must be at least the threshold.")}
        )
    try:
        check_amount(wallet.top_up_amount, wallet.account.currency)
    except ValidationError as error:
        raise ValidationError({"top_up_amount": error.messages}) from None


def credit_limit_write(wallet: Wallet, amount: int, *, actor: Actor, reason: str) -> Wallet:
    """Write a credit limit after its checks (services/credit_limits.py); it applies at once.

    The highest limit so far only grows: a balance may be below a limit that was lowered.
    """
    require(actor, "billing.finance", wallet)
    with transaction.atomic():
        wallet = locked(wallet)
        before = wallet.credit_limit
        if before == amount:
            return wallet
        wallet.credit_limit = amount
        wallet.highest_credit_limit = max(amount, wallet.highest_credit_limit)
        wallet.save(update_fields=["credit_limit", "highest_credit_limit"])
        access.audit(
            actor=actor,
            action="billing.credit_limit",
            thing=wallet,
            before={"credit_limit": before},
            after={"credit_limit": amount},
            reason=reason,
        )
        webhook_events.credit_limit(wallet, before)
        _mark(wallet)
        live.touch(f"billing.wallet:{wallet.slug}")
    return wallet


def wallet_freeze(wallet: Wallet, *, actor: Actor, reason: str) -> Wallet:
    """Refuse new holds; open holds settle, and money may come in. A second call changes nothing."""
    return _set_status(wallet, actor, Status.FROZEN, (Status.OPEN,), reason)


def wallet_unfreeze(wallet: Wallet, *, actor: Actor, reason: str) -> Wallet:
    """Allow holds again."""
    return _set_status(wallet, actor, Status.OPEN, (Status.FROZEN,), reason)


def wallet_close(wallet: Wallet, *, actor: Actor, reason: str) -> Wallet:
    """Close for good: no holds, no top-ups, no credit.

    Open holds settle, and the rest can be paid out.
    """
    return _set_status(wallet, actor, Status.CLOSED, (Status.OPEN, Status.FROZEN), reason)


def _set_status(
    wallet: Wallet, actor: Actor, status: str, from_one_of: tuple[str, ...], reason: str
) -> Wallet:
    require(actor, "billing.finance", wallet)
    reason = clean_line(reason, needed=True)
    with transaction.atomic():
        wallet = locked(wallet)
        before = wallet.status
        if before == status:
            return wallet
        if before not in from_one_of:
            raise wrong_state(_("This account is %s.") % wallet.get_status_display())
        wallet.status, wallet.status_reason = status, reason
        changed = ["status", "status_reason"]
        if status == Status.CLOSED:
            wallet.top_up_below = wallet.alert_below = wallet.credit_limit = 0
            changed += ["top_up_below", "alert_below", "credit_limit"]
        wallet.save(update_fields=changed)
        access.audit(
            actor=actor,
            action="billing.wallet_status",
            thing=wallet,
            before={"status": before},
            after={"status": status},
            reason=reason,
        )
        _mark(wallet)
        live.touch(f"billing.wallet:{wallet.slug}")
    return wallet


# -- sending to Redis -----------------------------------------------------------------------------


def _mark(wallet: Wallet) -> None:
    wallet.unsent_since = timezone.now()
    wallet.save(update_fields=["unsent_since"])
    _after_commit(wallet)


def _after_commit(wallet: Wallet) -> None:
    transaction.on_commit(partial(_send_quietly, wallet.pk))


def _send_quietly(wallet_pk: int) -> bool:
    """Send SQL's state without raising errors; the mark stays if Redis does not take it."""
    try:
        return wallet_send(Wallet(pk=wallet_pk))
    except (
        hotpath.HotPathError,
        RedisError,
        OSError,
        servers.UnknownServerError,
        commands.WalletRefusedError,
    ) as error:
        logger.warning("billing: settings of wallet %s wait for Redis: %s", wallet_pk, error)
        return False


def wallet_send(wallet: Wallet) -> bool:
    """Send SQL's state of this wallet to Redis and remove the mark; return False in safe mode.

    This holds the row's lock, so that a wallet under rebuild is not opened too early: only the
    rebuild leaves safe mode. Data is created only where there never was any; it never starts from
    zero again.
    """
    with transaction.atomic():
        row = locked(wallet)
        if row.recovering_since is not None:
            return False
        path = servers.path(row)
        if row.opened_at is None and row.generation == FIRST_GENERATION:
            path.run(_create(row))
        path.run(commands.configure(row.slug, settings_of(row)))
        live = path.run(commands.balance(row.slug))
        if live is None or live.status == "recovering":
            return False  # the rebuild sends it
        if live.status != row.status:
            operation = f"status:{secrets.token_hex(8)}"
            path.run(commands.status(row.slug, row.status, row.status_reason, operation))
        row.opened_at = row.opened_at or timezone.now()
        row.unsent_since = None
        row.save(update_fields=["opened_at", "unsent_since"])
    return True


def _create(row: Wallet) -> Command[str]:
    return commands.create(
        row.slug, row.generation, settings_of(row), balance=row.opening, status=row.status
    )


def send_waiting() -> dict[str, int]:
    """Send what Redis did not take at once; a bounded number."""
    waiting = Wallet.objects.exclude(unsent_since=None).order_by("unsent_since")
    keys = list(waiting.values_list("pk", flat=True)[:SEND_AT_ONCE])
    return {"waiting": len(keys), "sent": sum(_send_quietly(key) for key in keys)}
