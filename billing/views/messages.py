"""The page of one message of an account, and the rules that every message follows."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from billing import servers
from billing import wallet as commands
from billing.models import JournalEntry, Wallet
from billing.models.messages import State
from billing.presentation import amount, kind_word, mode_word, state_word
from billing.selectors.calls_charged import explain
from billing.selectors.figures import AWAY
from billing.selectors.messages import PriceLine, Story, price_lines, story
from billing.selectors.promotions import paid_by_promotions
from billing.selectors.wallets import wallet_get
from billing.views.common import link
from billing.views.messages_words import outcome
from billing.views.rules import rules_table
from poolsite import access
from poolsite.console.pages import principal_of
from poolsite.number_format import masked

ID_LENGTH = 80


@require_GET
def message_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show one message: its entries, reports and price lines, each explained."""
    wallet = wallet_get(principal_of(request), slug)
    message_id = request.GET.get("id", "")[:ID_LENGTH]
    found = story(wallet, message_id)
    now = _live(wallet, message_id)
    if now is None and found.message is None and not found.entries and found.intent is None:
        raise access.Hidden("billing.message")
    state = now.state if now is not None else found.message.state if found.message else ""
    word, chip = state_word(state)
    prices = _prices(found, now)
    context = {
        "wallet": wallet,
        "account": wallet.account,
        "id": message_id,
        "story": found,
        "state": state,
        "word": word or _("Not held yet"),
        "chip": chip,
        "quoted": _quoted(found, now),
        "charged": _charged(found, now),
        "returned": _returned(found, now),
        "facts": _facts(
            found, now, paid_by_promotions(wallet, message_id), wallet.account.currency
        ),
        "technical": _technical(found, now),
        "items": _items(found.entries, wallet.account.currency),
        "prices": [line for line in prices if line.is_end or line.is_kept],
        "other_prices": [line for line in prices if not line.is_end and not line.is_kept],
        "kept": _kept(found, now),
        "shown_as": _kept(found, now).partition("_")[0],
        "reason": outcome(state) if state not in ("parked", "unpaid") else "",
        "chatbot": found.chatbot or (found.message.chatbot if found.message else ""),
        "template": found.recipient.campaign.template if found.recipient else None,
        "operator": principal_of(request).is_operator,
        "rules": rules_table(state if state in State.values else "none"),
        "campaign_url": link("campaign", wallet.slug, found.recipient.campaign_id)
        if found.recipient
        else "",
        "sent_to": masked(found.recipient.number) if found.recipient else "",
    }
    return render(request, "billing/message.html", context)


def _live(wallet: Wallet, message_id: str) -> commands.MessageState | None:
    """Return the message as Redis has it, or None if it is missing there or Redis is away."""
    try:
        return servers.path(wallet).run(commands.message(wallet.slug, message_id))
    except (*AWAY, ValueError):
        return None


def _quoted(found: Story, now: commands.MessageState | None) -> int:
    if now is not None and now.quoted:
        return now.quoted
    if found.message is not None:
        return found.message.quoted
    return found.intent.quoted if found.intent else 0


def _charged(found: Story, now: commands.MessageState | None) -> int | None:
    """Return the final cost, or None while the message is open."""
    if now is not None:
        return None if now.state in ("held", "sent", "parked", "unpaid") else now.charged
    if found.message is None or found.message.state in ("held", "sent", "parked", "unpaid"):
        return None
    return found.message.charged


def _returned(found: Story, now: commands.MessageState | None) -> int | None:
    charged = _charged(found, now)
    return None if charged is None else _quoted(found, now) - charged


def _facts(
    found: Story, now: commands.MessageState | None, promotional: int, currency: str
) -> list[tuple[str, Any]]:
    message = found.message
    rows: list[tuple[str, Any]] = [
        (_("Tariff"), found.tariff or ""),
        (_("Rate"), explain(message)),
        (_("Held at"), message.held_at if message else None),
        (_("Sent at"), message.sent_at if message else None),
        (_("Ended at"), message.ended_at if message else None),
    ]
    if now is not None and now.parked:
        rows.append((_("Report stored"), mode_word(now.parked)))
    if message is None and now is not None:
        rows.append((_("Books"), _("not in the books yet")))
    if promotional:
        rows.append((_("Promotional credit"), amount(promotional, currency)))
    return [(label, value) for label, value in rows if value not in ("", None)]


def _technical(found: Story, now: commands.MessageState | None) -> list[tuple[str, Any]]:
    """Return the facts that only programs and operators need."""
    message = found.message
    seqs = ", ".join(str(entry.seq) for entry in reversed(found.entries))
    rows = [
        (_("Type"), str(message.get_kind_display()).capitalize() if message else ""),
        (_("Chatbot ID"), message.chatbot if message else ""),
        (_("Entries"), seqs),
        (_("Body hash"), (message.body_hash if message else "") or (now.body_hash if now else "")),
    ]
    return [(label, value) for label, value in rows if value]


def _items(entries: list[JournalEntry], currency: str) -> list[dict[str, Any]]:
    """Return the entries as a timeline, newest first."""
    dots = {"hold": "ready", "sent": "call", "settle": "ready", "fail": "lost", "flag": "lost"}
    zone = timezone.get_current_timezone()
    return [
        {
            "at": datetime.fromtimestamp(entry.at_us / 1_000_000, tz=zone),
            "dot": dots.get(entry.kind, "quarantined"),
            "entry": entry,
            "word": kind_word(entry.kind),
            "why": _sentence(entry, currency),
        }
        for entry in entries
    ]


def _sentence(entry: JournalEntry, currency: str) -> str:
    """Describe an entry in one sentence."""
    mode, held = mode_word(entry.mode), amount(abs(entry.held), currency)
    back, cost = amount(abs(entry.spendable), currency), amount(entry.revenue, currency)
    given = {"held": held, "back": back, "cost": cost, "mode": mode}
    match entry.kind:
        case "hold":
            return _("%(held)s was held: the price of the most expensive mode.") % given
        case "sent":
            return _("Submitted to the gateway.")
        case "settle" if entry.spendable:
            words = _("Delivered as %(mode)s. %(cost)s was charged, %(back)s was returned.")
            return words % given
        case "settle":
            return _("Delivered as %(mode)s. %(cost)s was charged.") % given
        case "fail":
            return _("The gateway reported a final failure. %(back)s was returned.") % given
        case "expire":
            return _("No final report came within 72 h. %(back)s was returned.") % given
        case "cancel":
            return _("Not submitted to the gateway. %(back)s was returned.") % given
        case "session" | "unpaid" if entry.revenue:
            return _("%(cost)s was charged.") % given
        case "flag" | "orphan" | "parked":
            return _("A status report arrived that changed no money.")
    return ""


def _prices(found: Story, now: commands.MessageState | None) -> list[PriceLine]:
    """Return the stored prices from Redis, else from the intent."""
    prices: Mapping[str, int] = {}
    others: Mapping[str, int] = {}
    if now is not None and now.prices:
        prices, others = now.prices, now.others
    elif found.intent is not None:
        prices, others = found.intent.prices, found.intent.others
    return price_lines(dict(prices), dict(others), _kept(found, now), found.tariff)


def _kept(found: Story, now: commands.MessageState | None) -> str:
    """Return the mode in which the message was delivered, or "" if it was not."""
    return (now.mode if now else "") or (found.message.mode if found.message else "")
