"""Reads campaigns for pages, topics and files. Tenant-safe."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Count, Q, QuerySet, Sum

from billing.campaigns.figures import CampaignFigures
from billing.models import Campaign, DroppedRow, Message, OptOut, Recipient, Template, Wallet
from billing.models.messages import State
from billing.selectors.wallets import in_visible_wallets, one_of
from poolsite.access import Principal

PAGE_ROWS = 50
SHOWN_DROPPED = 8
CHUNK = 500
ENDED = (State.SETTLED, State.FAILED, State.EXPIRED, State.CANCELLED)


def visible_campaigns(principal: Principal, action: str = "billing.view") -> QuerySet[Campaign]:
    """Return the campaigns on which this principal may do the action, the latest first."""
    rows = Campaign.objects.select_related("wallet__account", "template", "chatbot", "job")
    return in_visible_wallets(rows, principal, action).order_by("-pk")


def campaign_get(principal: Principal, campaign_id: int, action: str = "billing.view") -> Campaign:
    """Return one campaign. Raise Hidden (404) if it is missing or belongs to another account."""
    rows = Campaign.objects.select_related("wallet__account", "template", "chatbot", "job")
    return one_of(rows.filter(pk=campaign_id), principal, action)


def templates_of(wallet: Wallet) -> list[Template]:
    """Return the templates that a campaign of the account may use."""
    rows = Template.objects.select_related("chatbot").filter(
        chatbot__account_id=wallet.account_id, archived_at=None, chatbot__archived_at=None
    )
    return list(rows.order_by("chatbot__name", "name"))


def opt_outs_of(wallet: Wallet) -> QuerySet[OptOut]:
    """Return the account's opt-outs, the latest first."""
    return OptOut.objects.filter(account_id=wallet.account_id).order_by("-pk")


def opt_out_get(principal: Principal, opt_out_id: int) -> OptOut:
    """Return one opt-out that the principal may remove.

    Raise Hidden if it is missing or belongs to another account.
    """
    return one_of(OptOut.objects.filter(pk=opt_out_id), principal, "billing.send")


def figures_of(campaign: Campaign) -> CampaignFigures:
    """Return the campaign's current figures in SQL. Its messages lag behind the hand-over."""
    found = figures_in_books(campaign)
    handed_over = campaign.recipients.filter(state=Recipient.State.SENT).count()
    ended = found.delivered_count + found.failed + found.expired + found.cancelled
    return replace(found, sent=max(found.sent, handed_over - ended))


def figures_in_books(campaign: Campaign) -> CampaignFigures:
    """Return the campaign's figures as of the last time the wallet was persisted."""
    by_state = dict(
        campaign.recipients.values_list("state").annotate(n=Count("pk")).values_list("state", "n")
    )
    messages = messages_of(campaign)
    rows = messages.values_list("state", "mode").annotate(
        Count("pk"), Sum("quoted"), Sum("charged")
    )
    counts = dict.fromkeys(State.values, 0)
    delivered: dict[str, int] = {}
    held_money = charged = returned = 0
    for state, mode, count, quoted, kept in rows:
        counts[state] += count
        if state in (State.HELD, State.SENT):
            held_money += quoted
        elif state != State.PARKED:
            charged += kept
            returned += quoted - kept
        if state == State.SETTLED:
            delivered[mode] = delivered.get(mode, 0) + count
    return CampaignFigures(
        recipients=campaign.accepted,
        waiting=by_state.get(Recipient.State.WAITING, 0),
        refused=by_state.get(Recipient.State.REFUSED, 0),
        held=counts[State.HELD],
        sent=counts[State.SENT],
        delivered=delivered,
        failed=counts[State.FAILED],
        expired=counts[State.EXPIRED],
        cancelled=counts[State.CANCELLED],
        held_money=held_money,
        charged=charged,
        returned=returned,
    )


def messages_of(campaign: Campaign) -> QuerySet[Message]:
    """Return the recipients' messages whose change entries have reached SQL."""
    ids = campaign.recipients.values("message_id")
    return Message.objects.filter(wallet_id=campaign.wallet_id, message_id__in=ids)


def is_over(campaign: Campaign) -> bool:
    """Whether every message that was handed over has ended, according to SQL."""
    handed_over = campaign.recipients.filter(state=Recipient.State.SENT)
    ended = Message.objects.filter(
        wallet_id=campaign.wallet_id,
        message_id__in=handed_over.values("message_id"),
        state__in=ENDED,
    )
    return handed_over.count() == ended.count()


def abilities_of(campaign: Campaign) -> dict[bool | None, int]:
    """Count the recipients whose terminals support Yuexin, do not, or are unknown."""
    rows = campaign.recipients.values_list("supports_yuexin").annotate(Count("pk"))
    found = dict(rows)
    return {ability: found.get(ability, 0) for ability in (True, False, None)}


def dropped_rows(campaign: Campaign, limit: int | None = None) -> Sequence[DroppedRow]:
    """Return the rows of the file that were skipped, in the order of the file."""
    return list(campaign.dropped_rows.order_by("row")[:limit])


@dataclass(frozen=True)
class Result:
    """A recipient and the result of its message; `at` is when it ended, else its hand-over."""

    row: int
    number: str
    state: str
    mode: str = ""
    charged: int = 0
    reason: str = ""
    at: datetime | None = None
    message_id: str = ""
    ability_source: str = ""
    supports_yuexin: bool | None = None


SHOWS = ("", "delivered", "waiting", "failed", "refused")


@dataclass(frozen=True)
class ResultQuery:
    """What a list of recipients is filtered by."""

    show: str = ""
    after: int = 0  # the last row's place in the file

    def page(self, campaign: Campaign) -> tuple[list[Result], int]:
        """Return one page of results and the key of the next page, 0 at the end."""
        rows = self._rows(campaign).filter(row__gt=self.after)[: PAGE_ROWS + 1]
        found = list(_results(campaign, list(rows)))
        following = found[PAGE_ROWS - 1].row if len(found) > PAGE_ROWS else 0
        return found[:PAGE_ROWS], following

    def _rows(self, campaign: Campaign) -> QuerySet[Recipient]:
        rows = campaign.recipients.order_by("row")
        messages = Message.objects.filter(wallet_id=campaign.wallet_id)
        if self.show == "delivered":
            return rows.filter(message_id__in=messages.filter(state="settled").values("message_id"))
        if self.show == "failed":
            ended = messages.filter(state__in=("failed", "expired", "cancelled"))
            return rows.filter(message_id__in=ended.values("message_id"))
        if self.show == "waiting":
            open_ones = messages.filter(state__in=("held", "sent"))
            waiting = Q(state="") | Q(message_id__in=open_ones.values("message_id"))
            return rows.filter(waiting)
        return rows.filter(state="refused") if self.show == "refused" else rows


def results(campaign: Campaign) -> Iterator[Result]:
    """Yield every recipient in the order of the file.

    It reads in chunks, so a million rows need little memory.
    """
    last = 0
    while chunk := list(campaign.recipients.filter(row__gt=last).order_by("row")[:CHUNK]):
        yield from _results(campaign, chunk)
        last = chunk[-1].row


def _results(campaign: Campaign, rows: Sequence[Recipient]) -> Iterator[Result]:
    ids = [row.message_id for row in rows]
    messages = {
        message.message_id: message
        for message in Message.objects.filter(wallet_id=campaign.wallet_id, message_id__in=ids)
    }
    for row in rows:
        message = messages.get(row.message_id)
        state = message.state if message else row.state or "waiting"
        yield Result(
            row=row.row,
            number=row.number,
            state="refused" if row.state == Recipient.State.REFUSED else state,
            mode=message.mode if message and message.state == State.SETTLED else "",
            charged=message.charged if message else 0,
            reason=row.error,
            at=(message.ended_at or message.sent_at) if message else None,
            message_id=row.message_id,
            ability_source=row.ability_source,
            supports_yuexin=row.supports_yuexin,
        )


def campaign_rows(campaigns: Sequence[Campaign]) -> list[tuple[Campaign, CampaignFigures]]:
    """Return campaigns with their figures, for lists."""
    return [(each, figures_of(each)) for each in campaigns]
