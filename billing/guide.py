"""The guide to the first top-up: an account with a balance and an owner, then the first money."""

from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from billing.forms import AdjustmentForm
from billing.models import Adjustment, MoneyOrder, Tariff, Wallet
from billing.presentation import amount, symbol
from billing.recharging import variants
from billing.selectors import figures
from billing.selectors.wallets import visible_wallets
from billing.services.acting import person
from billing.services.adjustments import adjustment_ask
from billing.services.wallets import wallet_open
from poolsite import console
from poolsite.access import four_eyes
from poolsite.access.models import Account
from poolsite.access.selectors import accounts
from poolsite.console.goal_forms import PressForm
from poolsite.console.goals import Data, Guide
from poolsite.people.guide import account_step, first_account, owner_step

KINDS = (MoneyOrder.Kind.RECHARGE, MoneyOrder.Kind.CREDIT)


def register() -> None:
    """Register the goal. Call this once, before the goals are first read."""
    console.register_goal(
        console.Goal(
            "top-up",
            gettext_lazy("First top-up"),
            gettext_lazy("An account pays in advance; each message is charged to its balance."),
            "account_balance_wallet",
            4,
            (
                account_step(_account),
                _balance_step(),
                _prices_step(),
                owner_step(),
                _top_up_step(),
            ),
            accounts,
            topic=_topic,
            ending="billing/guide_ending.html",
            order=40,
        )
    )


def _balance_step() -> console.GoalStep:
    return console.GoalStep(
        "balance",
        gettext_lazy("Open its balance"),
        gettext_lazy("The balance starts at zero and can't become negative."),
        "billing.finance",
        lambda guide: _wallet(guide.things["account"]),
        lambda _guide, wallet: amount(figures.of(wallet).spendable, wallet.account.currency),
        thing="account",
        link=lambda _guide, wallet: reverse("billing:account", args=[wallet.slug]),
        form=lambda _guide, data: PressForm(data),
        button=gettext_lazy("Open balance"),
        save=_open,
    )


def _prices_step() -> console.GoalStep:
    return console.GoalStep(
        "prices",
        gettext_lazy("Set prices for messages"),
        gettext_lazy("Needed for messages: a message without a price is refused."),
        "billing.finance",
        lambda guide: Tariff.objects.filter(account=guide.things["account"]).first(),
        lambda _guide, tariff: tariff.name,
        thing="balance",
        link=lambda guide, _tariff: reverse("billing:tariffs", args=[guide.things["account"].slug]),
        template="billing/guide_prices.html",
        optional=True,
    )


def _top_up_step() -> console.GoalStep:
    return console.GoalStep(
        "top_up",
        gettext_lazy("Top up"),
        gettext_lazy("Credit a payment that you received, such as a bank transfer."),
        "billing.finance",
        lambda guide: _paid_in(guide.things["balance"]) if "owner" in guide.things else None,
        _told,
        thing="balance",
        link=lambda guide, _order: reverse("billing:entries", args=[guide.things["account"].slug]),
        form=_form,
        first=("amount", "reference"),
        button=gettext_lazy("Top up"),
        save=_credit,
        template="billing/guide_top_up.html",
        context=_waiting,
    )


def _account(guide: Guide) -> Account | None:
    """Return the account named in the URL, else the oldest with a balance, else the oldest."""
    if not guide.on:
        wallet = visible_wallets(guide.principal).order_by("pk").first()
        if wallet is not None:
            return wallet.account
    return first_account(guide)


def _wallet(account: Account) -> Wallet | None:
    return Wallet.objects.select_related("account").filter(account=account).first()


def _paid_in(wallet: Wallet) -> MoneyOrder | None:
    """Return the first order that added money to the balance, or None."""
    orders = wallet.orders.filter(kind__in=KINDS).exclude(applied_at=None)
    return orders.order_by("pk").first()


def _told(guide: Guide, order: MoneyOrder) -> str:
    return amount(order.amount, guide.things["account"].currency)


def _topic(guide: Guide) -> str:
    """Return the live topic of the balance until the guide is finished, else ""."""
    wallet: Wallet | None = None if guide.is_finished else guide.things.get("balance")
    return f"billing.wallet:{wallet.slug}" if wallet is not None else ""


def _open(guide: Guide, _form: Any) -> str:
    wallet = wallet_open(guide.things["account"], guide.principal)
    return _("Balance of %(name)s opened.") % {"name": wallet.account.name}


def _form(guide: Guide, data: Data) -> AdjustmentForm:
    """Return the form for a credit, with the reason filled in."""
    wallet: Wallet = guide.things["balance"]
    initial = {"kind": MoneyOrder.Kind.CREDIT, "reason": _("First top-up")}
    given = None
    if data is not None:
        given = {**{name: data[name] for name in data}, "kind": MoneyOrder.Kind.CREDIT}
    form = AdjustmentForm(given, wallet=wallet, kind=MoneyOrder.Kind.CREDIT, initial=initial)
    form.fields["amount"].widget.attrs["placeholder"] = symbol(wallet.account.currency).strip()
    return form


def _credit(guide: Guide, form: Any) -> str:
    wallet: Wallet = guide.things["balance"]
    made = adjustment_ask(wallet, actor=guide.principal, **form.cleaned_data)
    words = amount(made.amount, wallet.account.currency)
    if made.status == Adjustment.Status.WAITING:
        return _("%s is waiting for another operator's approval.") % words
    return _("%s was credited to the balance.") % words


def _waiting(guide: Guide) -> dict[str, Any]:
    """Return the waiting credit, its approvers, the limit and the payment providers."""
    wallet: Wallet | None = guide.things.get("balance")
    if wallet is None:
        return {}
    waiting = Adjustment.objects.filter(wallet=wallet, status=Adjustment.Status.WAITING)
    asked = waiting.filter(kind=MoneyOrder.Kind.CREDIT).order_by("-pk").first()
    reader = person(guide.principal)
    approvers = four_eyes.approvers(reader if asked is None else asked.asked_by)
    currency = wallet.account.currency
    return {
        "asked": asked,
        "asked_amount": amount(asked.amount, currency) if asked is not None else "",
        "closed": asked is not None,
        "limit": amount(limit, currency) if (limit := settings.BILLING_FOUR_EYES_ABOVE) else "",
        "approvers": approvers,
        "is_readers": asked is not None and reader in approvers,
        "providers": [str(each.label) for each in variants.configured()],
    }
