"""What the search finds: accounts' balances, messages, top-ups, invoices, campaigns and more."""

from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from billing.models import Campaign, Chatbot, Recharge, Tariff, Template, Wallet
from billing.presentation import amount, state_word, status_word
from billing.selectors import figures
from billing.selectors.invoices import visible_invoices
from billing.selectors.messages import visible_messages
from billing.selectors.wallets import in_visible_wallets, own_wallet, visible_wallets
from billing.views.common import link
from poolsite import access, console
from poolsite.access import Principal
from poolsite.console import Found
from poolsite.console.matching import named
from poolsite.console.palette import Offer, register_offer
from poolsite.console.registry import Follow

LONGEST_ID = 80
MOST_WALLETS = 10_000  # a message ID is searched in this many wallets, in each by its index


def register() -> None:
    """Register the search and the commands. Called once, by AppConfig.ready()."""
    console.register_search("billing", find)
    for name, label, page, icon, action in (
        ("top_up", gettext_lazy("Top up…"), "top_up", "add_card", "billing.paying"),
        ("refund", gettext_lazy("Request a refund…"), "refund_ask", "undo", "billing.paying"),
        ("campaign", gettext_lazy("New campaign…"), "campaign_new", "campaign", "billing.send"),
        ("template", gettext_lazy("New template…"), "template_new", "post_add", "billing.send"),
        ("chatbot", gettext_lazy("New chatbot…"), "chatbot_new", "smart_toy", "billing.send"),
    ):
        register_offer(Offer(f"billing.{name}", label, _own(page), icon, action))
    words = gettext_lazy("Open a balance…")
    register_offer(
        Offer("billing.open", words, "billing:wallet_open", "add_card", "billing.adjusting")
    )


def _own(page: str) -> Callable[[Principal], str]:
    """Return the address of this page for the user's own account. Users without one get ""."""

    def address(principal: Principal) -> str:
        wallet = own_wallet(principal)
        return link(page, wallet.slug) if wallet is not None else ""

    return address


def find(principal: Principal, text: str, limit: int) -> Iterable[Found]:
    """Find accounts, campaigns, templates, chatbots and tariffs by name, other rows by number."""
    if not access.decide(principal, "billing.view"):
        return []
    wallets = visible_wallets(principal)
    found = _accounts(principal, wallets, text, limit)
    found += _messages(principal, text, limit) + _recharges(principal, text)
    found += _invoices(principal, text)
    found += _campaigns(principal, text, limit)
    return found + _of_accounts(wallets.order_by().values("account"), text, limit)


def _campaigns(principal: Principal, text: str, limit: int) -> list[Found]:
    rows = in_visible_wallets(Campaign.objects.all(), principal)
    rows = rows.select_related("wallet__account").order_by("-pk")
    number = text[1:] if text[:1] in ("c", "C") else ""  # people write c41 for campaign 41
    numbered = []
    if number.isascii() and number.isdecimal() and len(number) < 19:
        numbered = [(0, row) for row in rows.filter(pk=int(number))]
    return [
        _named(
            _("Campaign"),
            row,
            place,
            row.wallet.account.name,
            link("campaign", row.wallet.slug, row.pk),
            "campaign",
            row.get_status_display(),
        )
        for place, row in [*numbered, *named(rows, text, ("name",), limit)]
    ]


def _of_accounts(accounts: Any, text: str, limit: int) -> list[Found]:
    """Return the matching templates, chatbots and tariffs of these accounts."""
    templates = Template.objects.filter(chatbot__account__in=accounts, archived_at=None)
    templates = templates.select_related("chatbot__account").order_by("-pk")
    found = []
    for place, row in named(templates, text, ("name",), limit):
        owner = row.chatbot.account
        url = link("template", owner.slug, row.pk)
        found.append(_named(_("Template"), row, place, owner.name, url, "description"))
    bots = Chatbot.objects.filter(account__in=accounts, archived_at=None).select_related("account")
    for place, bot in named(bots.order_by("pk"), text, ("name", "slug"), limit):
        url = link("chatbot", bot.account.slug, bot.slug)
        found.append(_named(_("Chatbot"), bot, place, bot.account.name, url, "smart_toy"))
    tariffs = Tariff.objects.filter(account__in=accounts).select_related("account").order_by("-pk")
    for place, tariff in named(tariffs, text, ("name",), limit):
        url = link("tariffs", tariff.account.slug)
        found.append(_named(_("Tariff"), tariff, place, tariff.account.name, url, "sell"))
    return found


def _named(
    kind: str, row: Any, place: int, owner: str, url: str, icon: str, chip: str = ""
) -> Found:
    return Found(
        kind,
        row.name,
        f"{kind} · {owner}",
        url,
        exact=place == 0,
        group="billing" if isinstance(row, Tariff) else "campaigns",
        icon=icon,
        key=f"{type(row).__name__}:{row.pk}",
        rank=place,
        chip=chip,
    )


def _accounts(principal: Principal, wallets: Any, text: str, limit: int) -> list[Found]:
    """Return the matching accounts, each with its available money."""
    fields = ("account__name", "account__slug")
    rows = named(wallets.order_by("account__slug"), text, fields, limit)
    now = figures.of_all([wallet for _place, wallet in rows])
    return [_account(principal, place, row, now[row.slug]) for place, row in rows]


def _account(principal: Principal, place: int, row: Wallet, now: figures.WalletFigures) -> Found:
    word, look, _icon = status_word(now.status)
    available = amount(now.spendable, row.account.currency)
    page = "account" if principal.is_operator else "portal"
    return Found(
        _("Account"),
        row.account.name,
        f"{row.slug} · " + _("%(amount)s available") % {"amount": available},
        link(page, row.slug),
        exact=place == 0,
        group="accounts",
        icon="account_balance_wallet",
        key=f"account:{row.slug}",
        rank=place,
        chip="" if now.status == "open" else word,
        look=look,
        follow=_follow(principal, row),
    )


def _follow(principal: Principal, row: Wallet) -> list[Follow]:
    name = {"account": row.account.name}
    follow = [
        Follow("pages", _("Statements"), link("statements", row.slug), "receipt_long"),
        Follow("pages", _("Invoices"), link("invoices", row.slug), "request_quote"),
        Follow("pages", _("Messages"), link("messages", row.slug), "sms"),
        Follow("pages", _("Usage"), link("usage", row.slug), "bar_chart"),
    ]
    if _may(principal, "billing.finance", row):
        words = _("Adjust balance of %(account)s…") % name
        follow.append(Follow("actions", words, link("adjust", row.slug), "fact_check"))
    if _may(principal, "billing.pay", row) and not principal.is_operator:
        words = _("Top up %(account)s…") % name
        follow.append(Follow("actions", words, link("top_up", row.slug), "add_card"))
    return follow


def _may(principal: Principal, action: str, row: Wallet) -> bool:
    """Whether the user can open the page, perhaps after proving a second factor."""
    return access.decide(principal, action, row).possible


def _messages(principal: Principal, text: str, limit: int) -> list[Found]:
    if len(text) > LONGEST_ID or " " in text:
        return []
    # The index is by account and ID: one lookup per account, never a scan of all messages.
    wallets = list(visible_wallets(principal).values_list("pk", flat=True)[:MOST_WALLETS])
    rows = visible_messages(principal).filter(wallet__in=wallets, message_id=text)
    return [
        Found(
            _("Message"),
            row.message_id,
            row.wallet.account.name,
            f"{reverse('billing:message', args=[row.wallet.slug])}"
            f"?{urlencode({'id': row.message_id})}",
            exact=True,
            group="messages",
            icon="sms",
            key=f"message:{row.pk}",
            chip=state_word(row.state)[0],
        )
        for row in rows.order_by("-pk")[:limit]
    ]


def _recharges(principal: Principal, text: str) -> list[Found]:
    number = text[1:] if text[:1] in "Rr" else ""
    if not (number.isascii() and number.isdecimal() and len(number) < 19):
        return []
    recharges = Recharge.objects.select_related("wallet__account")
    rows = in_visible_wallets(recharges, principal).filter(pk=int(number))
    return [
        Found(
            _("Top-up"),
            row.number,
            f"{row.wallet.account.name} · {amount(row.amount, row.wallet.account.currency)}",
            link("recharge", row.wallet.slug, row.pk),
            exact=True,
            group="billing",
            icon="add_card",
            key=f"recharge:{row.pk}",
        )
        for row in rows
    ]


def _invoices(principal: Principal, text: str) -> list[Found]:
    """Return the invoice with this number, or the invoice that this credit note cancels."""
    number = text.strip().upper()
    rows = visible_invoices(principal)
    rows = rows.filter(number=number) | rows.filter(credit_notes__number=number)
    return [
        Found(
            _("Invoice"),
            row.number,
            f"{row.wallet.account.name} · {amount(row.total, row.currency)}",
            link("invoice", row.wallet.slug, row.pk),
            exact=True,
            group="billing",
            icon="request_quote",
            key=f"invoice:{row.pk}",
        )
        for row in (rows.distinct()[:1] if "-" in number else ())
    ]
