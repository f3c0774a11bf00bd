"""Facts for operators next to an account's figures: its owners, its settings, its data."""

from typing import Any

from django.utils.translation import gettext as _

from billing.models import Recharge, Tariff, Wallet
from billing.presentation import amount
from billing.selectors import figures as now_figures
from poolsite import dates
from poolsite.access.models import Membership, Role, User

Facts = list[tuple[str, Any]]


def details(wallet: Wallet, tariff: Tariff | None) -> Facts:
    """Return the owners, the prices, the alert settings and the last top-up."""
    account, currency = wallet.account, wallet.account.currency
    owners = Membership.objects.filter(account=account, role=Role.OWNER).select_related("user")
    last = Recharge.objects.filter(wallet=wallet).exclude(credited_at=None)
    newest = last.order_by("-credited_at").first()
    auto = _("below %(below)s, by %(by)s") % {
        "below": amount(wallet.top_up_below, currency),
        "by": amount(wallet.top_up_amount, currency),
    }
    return [
        (_("Owner"), ", ".join(_name(row.user) for row in owners.order_by("pk")) or "–"),
        (_("Contact"), ", ".join(row.user.email for row in owners if row.user.email) or "–"),
        (_("Tariff"), tariff.name if tariff else _("none")),
        (_("Alert below"), amount(wallet.alert_below, currency) if wallet.alert_below else "–"),
        (_("Daily limit"), amount(wallet.daily_limit, currency) if wallet.daily_limit else "–"),
        (_("Auto top-up"), auto if wallet.top_up_below else _("off")),
        (_("Last top-up"), _paid(newest, currency) if newest else "–"),
        (_("Time zone"), account.zone),
    ]


def _name(user: User) -> str:
    return user.get_full_name() or str(user)


def _paid(recharge: Recharge, currency: str) -> str:
    return f"{amount(recharge.amount, currency)} · {dates.moment(recharge.credited_at)}"


def internals(wallet: Wallet, figures: now_figures.WalletFigures) -> Facts:
    """Return where the wallet's data is, and how far the books have come."""
    return [
        (_("Redis server"), wallet.redis or _("default server")),
        (_("Data generation"), wallet.generation),
        (_("Entries"), f"{figures.seq:,}"),
        (_("Last booked entry"), f"{wallet.seq:,}"),
        (_("Last written"), dates.moment_exact(wallet.persisted_at)),
    ]
