"""Messages of an account: the list with its filters, and the same list as a file."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from billing import money
from billing.models import Campaign, Chatbot, FlaggedReport, Message, Recipient, Wallet
from billing.models.messages import State
from billing.presentation import mode_word, state_word
from billing.pricing.modes import MODES
from billing.selectors.messages_list import (
    Counts,
    MessageQuery,
    latest_campaigns,
    recipients_of,
)
from billing.selectors.wallets import wallet_get
from billing.services.reloading import read_prices
from billing.views.common import link
from billing.views.messages_words import outcome, place_of, range_words
from poolsite.console import tables
from poolsite.console.chips import chips_of
from poolsite.console.days import beginning, span
from poolsite.console.lists import address
from poolsite.console.pages import principal_of
from poolsite.console.tables import key_of, text_of
from poolsite.console.templatetags.console import figure
from poolsite.csv_text import csv_file
from poolsite.moments import iso
from poolsite.number_format import masked

FILTERS = ("q", "state", "mode", "chatbot", "campaign", "flagged", "period", "from", "until")
OPEN = (State.HELD, State.SENT, State.PARKED, State.UNPAID)
CSV_HEAD = (
    *("message", "held_at", "sent_at", "ended_at", "recipient", "state", "mode", "type"),
    *("chatbot", "campaign", "currency", "held", "charged", "flag"),
)


@dataclass(frozen=True)
class MessageRow:
    """One row of the list; `possible` names the modes in which an open message may still end."""

    message: Message
    recipient: Recipient | None
    possible: str
    chatbot: str = ""  # the chatbot's name

    @property
    def reason(self) -> str:
        """The reason why the message was not delivered, as text."""
        return outcome(self.message.state)

    @property
    def flag(self) -> str:
        """What is wrong with the message's reports, as text."""
        words = dict(FlaggedReport.Flag.choices)
        return str(words.get(self.message.flag, self.message.flag))

    @property
    def number(self) -> str:
        """The recipient's number with its middle hidden, or "" if it is not stored."""
        return masked(self.recipient.number) if self.recipient else ""

    @property
    def is_open(self) -> bool:
        """Whether the cost is not settled yet."""
        return self.message.state in OPEN


@require_GET
def message_list(request: HttpRequest, slug: str) -> HttpResponse | StreamingHttpResponse:
    """Show the messages that an account was charged for, newest first.

    `?format=csv` returns them as a file.
    """
    wallet = wallet_get(principal_of(request), slug)
    filters = {name: text_of(request, name) for name in FILTERS}
    if filters["period"] != "dates":
        filters["from"] = filters["until"] = ""
    campaigns = latest_campaigns(wallet)
    query = _query(filters, campaigns)
    if request.GET.get("format") == "csv":
        return csv_file(f"messages-{wallet.slug}.csv", CSV_HEAD, _csv_rows(wallet, query))
    page = query.page(wallet, after=key_of(request, "after"), before=key_of(request, "before"))
    chatbots = list(Chatbot.objects.filter(account=wallet.account_id)[:200])
    rows = _rows(wallet, page.rows, {each.slug: each.name for each in chatbots})
    counts, first = query.counts(wallet), place_of(request)
    total = query.total(wallet, counts) if page.after else first + len(rows)
    context = {
        "wallet": wallet,
        "account": wallet.account,
        "rows": rows,
        "numberless": not all(row.number for row in rows),
        "empty": not page.rows and not any(filters.values()),
        "filters": filters,
        **_choices(counts),
        "periods": _periods(),
        "chatbots": chatbots,
        "more": sum(bool(filters[name]) for name in ("mode", "chatbot", "campaign", "flagged")),
        "operator": principal_of(request).is_operator,
        "campaigns": campaigns,
        "chips": _chips(filters, campaigns),
        "shown": range_words(first, len(rows), total),
        "next_url": address(filters, after=page.after, at=first + len(rows)) if page.after else "",
        "back_url": address(filters, before=page.before, at=first - tables.PAGE_ROWS)
        if page.before
        else "",
        "campaigns_url": link("campaigns", wallet.slug),
    }
    return render(request, "billing/messages.html", context)


def _query(filters: dict[str, str], campaigns: Sequence[Campaign]) -> MessageQuery:
    begin, end = _period(filters)
    return MessageQuery(
        search=filters["q"],
        state=filters["state"] if filters["state"] in State.values else "",
        mode=filters["mode"] if filters["mode"] in MODES else "",
        chatbot=filters["chatbot"],
        campaign=next((each for each in campaigns if str(each.pk) == filters["campaign"]), None),
        flagged=bool(filters["flagged"]),
        begin=begin,
        end=end,
    )


def _period(filters: dict[str, str]) -> tuple[datetime | None, datetime | None]:
    """Return the start and the end (exclusive) of the period, in the user's time zone."""
    today = timezone.localdate()
    match filters["period"]:
        case "today":
            return beginning(today), None
        case "7d":
            return beginning(today - timedelta(days=6)), None
        case "month":
            return beginning(today.replace(day=1)), None
        case "dates":
            return span(filters["from"], filters["until"])
    return None, None


def _rows(
    wallet: Wallet, messages: Sequence[Message], chatbots: Mapping[str, str]
) -> list[MessageRow]:
    recipients = recipients_of(wallet, messages)
    return [
        MessageRow(
            message,
            recipients.get(message.message_id),
            _possible(message),
            chatbots.get(message.chatbot, message.chatbot),
        )
        for message in messages
    ]


def _possible(message: Message) -> str:
    if message.mode or message.state not in OPEN:
        return ""
    return " / ".join(mode_word(mode) for mode in read_prices(message.prices)[0])


def _choices(counts: Counts | None) -> dict[str, list[tuple[str, str]]]:
    """Return the options of state and mode, with their numbers of rows where these are known."""

    def counted(word: str, found: Mapping[str, int] | None, value: str) -> str:
        if found is None or value == State.PARKED:  # parked reports are not among the rows counted
            return word
        return f"{word} ({figure(found.get(value, 0))})"

    states, modes = (counts.states, counts.modes) if counts else (None, None)
    return {
        "states": [(each, counted(state_word(each)[0], states, each)) for each in State.values],
        "modes": [(each, counted(mode_word(each), modes, each)) for each in MODES],
    }


def _periods() -> list[tuple[str, str]]:
    return [
        ("", _("Any time")),
        ("today", _("Today")),
        ("7d", _("Last 7 days")),
        ("month", _("This month")),
        ("dates", _("Choose dates")),
    ]


def _chips(filters: dict[str, str], campaigns: Sequence[Campaign]) -> list[dict[str, str]]:
    names = {
        "q": _("Search"),
        "state": _("State"),
        "mode": _("Mode"),
        "chatbot": _("Chatbot"),
        "campaign": _("Campaign"),
        "flagged": _("Flagged"),
        "period": _("Time"),
        "from": _("From"),
        "until": _("Until"),
    }
    said: dict[str, str] = {
        "state": state_word(filters["state"])[0],
        "mode": mode_word(filters["mode"]),
        "flagged": _("yes"),
        "campaign": {str(each.pk): each.name for each in campaigns}.get(
            filters["campaign"], filters["campaign"]
        ),
        "period": dict(_periods()).get(filters["period"], filters["period"]),
    }
    return chips_of(filters, names, said)


def _csv_rows(wallet: Wallet, query: MessageQuery) -> Iterator[list[Any]]:
    currency = wallet.account.currency
    for chunk in query.every(wallet):
        for row in _rows(wallet, chunk, {}):
            message = row.message
            yield [
                message.message_id,
                *(iso(at) for at in (message.held_at, message.sent_at, message.ended_at)),
                row.number,
                *(message.state, message.mode, message.kind, message.chatbot),
                row.recipient.campaign.name if row.recipient else "",
                currency,
                money.plain(message.quoted),
                "" if row.is_open else money.plain(message.charged),
                message.flag,
            ]
