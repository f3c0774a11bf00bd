"""Automatic top-ups: below the mark a stored card is charged, up to a daily number of times.

SQL's balance only finds candidates; the balance in Redis decides. The top-up's row is written
before the provider is called, under the wallet's lock. So there is one at a time, and if a worker
dies in between, the next worker finishes the row with the same idempotency key.
"""

import logging
from datetime import timedelta
from uuid import uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_noop
from payments import PaymentStatus

from billing import servers
from billing import wallet as commands
from billing.models import PaymentMethod, Recharge, Wallet
from billing.persistence.running import REDIS_ERRORS
from billing.recharging import reports, variants
from billing.selectors.wallets import low_balances
from billing.services.acting import locked
from billing.services.days import day_start
from billing.services.recharges import recharge_write
from poolsite.operations import incidents

logger = logging.getLogger(__name__)
TYPE = "billing.auto_top_up"
ACTOR = "billing.auto_top_up"
AT_ONCE = 100
ASK_AGAIN_SECONDS = 60
GIVE_UP_HOURS = 23  # a provider forgets an idempotency key after a day
_WAITING = (PaymentStatus.WAITING, PaymentStatus.INPUT)


def top_up_due(shard: int = 0, shards: int = 1) -> dict[str, int]:
    """Finish the top-ups that were begun, then top up the wallets below their mark."""
    finished = _finish_begun(shard, shards)
    due = low_balances(Wallet.objects.filter(status=Wallet.Status.OPEN), "top_up_below")
    due = due.annotate(shard=F("pk") % shards).filter(shard=shard).order_by("pk")
    begun = sum(top_up(wallet) is not None for wallet in due.select_related("account")[:AT_ONCE])
    return {"begun": begun, "finished": finished}


def top_up(wallet: Wallet) -> Recharge | None:
    """Top up this wallet by its rule if its balance in Redis is below the mark.

    Return None if nothing was due.
    """
    with transaction.atomic():
        wallet = locked(wallet)
        method = PaymentMethod.objects.filter(wallet=wallet, removed_at=None).first()
        if method is None or not _allowed(wallet, method) or not _is_low(wallet):
            return None
        recharge = recharge_write(
            wallet,
            actor=ACTOR,
            amount=wallet.top_up_amount,
            variant=method.variant,
            token=str(uuid4()),
            is_automatic=True,
        )
    _charge(recharge, method)
    return recharge


def _allowed(wallet: Wallet, method: PaymentMethod) -> bool:
    """Whether a top-up may start.

    The account must be open, no other top-up under way, and the day's number of top-ups, including
    failed ones, below the rule's limit.
    """
    if wallet.status != Wallet.Status.OPEN or not wallet.top_up_below:
        return False
    if method.variant not in settings.PAYMENT_VARIANTS:
        return False
    if wallet.orders.filter(kind="recharge", applied_at=None, cancelled_at=None).exists():
        return False
    own = Recharge.objects.filter(wallet=wallet, is_automatic=True)
    if own.filter(status__in=_WAITING).exists():
        return False
    today = own.filter(created__gte=day_start(wallet.account)).count()
    return today < wallet.top_up_daily_count


def _is_low(wallet: Wallet) -> bool:
    """Whether the balance is below the mark now. Read after `_allowed`, which an applied top-up
    passes again.
    """
    try:
        balance = servers.path(wallet).run(commands.balance(wallet.slug))
    except REDIS_ERRORS:
        return False
    return balance is not None and balance.spendable < wallet.top_up_below


def _charge(recharge: Recharge, method: PaymentMethod) -> None:
    """Charge through the provider, outside any transaction.

    A refusal ends the top-up; in doubt it stays waiting.
    """
    try:
        variants.provider_of(recharge.variant).charge_kept(recharge, method)
    except variants.ProviderError as error:
        logger.warning("billing: automatic top-up %s: %s", recharge.pk, error)
        if error.certain:
            _failed(recharge, str(error))
        return
    incidents.close(type=TYPE, object=recharge.wallet.slug)


def _failed(recharge: Recharge, why: str) -> None:
    reports.deliver(
        reports.ProviderReport(
            variant=recharge.variant,
            said=reports.PaymentEvent.FAILED,
            token=recharge.token,
            message=why[:200],
        )
    )
    wallet = recharge.wallet
    incidents.open(
        type=TYPE,
        object=wallet.slug,
        severity="critical",
        title=gettext_noop("%(account)s: the automatic top-up failed"),
        detail=gettext_noop("The payment provider declined: %(why)s"),
        remedy=gettext_noop("Top up manually, and save another card for automatic top-ups."),
        url=reverse("billing:top_up", args=[wallet.slug]),
        account=wallet.account_id,
        params={"account": wallet.account.name, "why": why[:200]},
    )


def _finish_begun(shard: int, shards: int) -> int:
    """Retry the top-ups that no provider has answered; the same key charges them once."""
    now = timezone.now()
    begun = Recharge.objects.filter(
        is_automatic=True,
        status=PaymentStatus.WAITING,
        transaction_id="",
        created__lt=now - timedelta(seconds=ASK_AGAIN_SECONDS),
    )
    begun = begun.annotate(shard=F("wallet_id") % shards).filter(shard=shard)
    asked = 0
    for recharge in begun.select_related("wallet__account").order_by("pk")[:AT_ONCE]:
        method = PaymentMethod.objects.filter(
            wallet=recharge.wallet, variant=recharge.variant, removed_at=None
        ).first()
        if method is None or recharge.created < now - timedelta(hours=GIVE_UP_HOURS):
            _failed(recharge, "the provider never answered")
        else:
            _charge(recharge, method)
        asked += 1
    return asked
