"""The list of one wallet's messages: its filters, pages, counts and file."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection
from django.db.models import Exists, OuterRef, Q, QuerySet

from billing.models import Campaign, Message, Recipient, Wallet
from billing.models.messages import State
from billing.services.sending_values import OTHER_BODY
from poolsite.console import tables
from poolsite.console.tables import NEWEST_FIRST, Term
from poolsite.number_format import NotANumberError, parse

CHUNK = 1_000
COUNTED = 10_000  # more rows than that are not counted
SAME_NUMBER = 1_000  # messages to one number that a search reads
LATEST_CAMPAIGNS = 50
HELD_FIRST = (Term("held_at", falling=True), Term("pk", falling=True))
HIGHEST = "\U0010ffff"


@dataclass(frozen=True, slots=True)
class Counts:
    """The number of messages of each state and mode, with the other filters applied."""

    states: Mapping[str, int]
    modes: Mapping[str, int]
    total: int = 0  # with every filter applied


@dataclass(frozen=True)
class MessageQuery:
    """The filters of a list of messages; each comes from the address."""

    search: str = ""  # the beginning of a message ID, or a recipient's whole number
    state: str = ""
    mode: str = ""
    chatbot: str = ""
    campaign: Campaign | None = None
    flagged: bool = False
    begin: datetime | None = None
    end: datetime | None = None  # not included

    @property
    def order(self) -> Sequence[Term]:
        """The order, newest first: by hold time, as the index; by key if unheld ones are in it."""
        return NEWEST_FIRST if self._with_unheld else HELD_FIRST

    @property
    def _with_unheld(self) -> bool:
        """Whether reports without a hold are included: by their state, or in a search by ID."""
        return bool(self.search) or self.state == State.PARKED

    def rows(self, wallet: Wallet) -> QuerySet[Message]:
        """Return the messages that match, in no order."""
        rows = self._within(wallet)
        if self.state:
            rows = rows.filter(state=self.state)
        if self.mode:
            rows = rows.filter(mode=self.mode)
        return rows.exclude(flag="") if self.flagged else rows

    def counts(self, wallet: Wallet) -> Counts | None:
        """Return the counts by state and mode, or None if more than 10 000 rows would be read."""
        if self.state == State.PARKED:
            return None  # an index finds these, but not the messages of other states
        newest = self._within(wallet).order_by(*[term.by for term in self.order])
        found = list(newest.values_list("state", "mode", "flag")[: COUNTED + 1])
        if len(found) > COUNTED:
            return None
        found = [row for row in found if row[2] or not self.flagged]
        return Counts(
            Counter(state for state, mode, _flag in found if self.mode in ("", mode)),
            Counter(mode for state, mode, _flag in found if self.state in ("", state)),
            sum(self.mode in ("", row[1]) and self.state in ("", row[0]) for row in found),
        )

    def total(self, wallet: Wallet, counts: Counts | None) -> int | None:
        """Return how many messages match, or None if they are too many to count."""
        if counts is not None:
            return counts.total
        if self.state != State.PARKED:
            return None
        found = self.rows(wallet).order_by().values("pk")[: COUNTED + 1].count()
        return found if found <= COUNTED else None

    def page(
        self, wallet: Wallet, *, after: int | None = None, before: int | None = None
    ) -> tables.TablePage[Message]:
        """Return one page, newest first."""
        return tables.page_of(self.rows(wallet), self.order, after=after, before=before)

    def every(self, wallet: Wallet) -> Iterator[list[Message]]:
        """Yield all messages that match, in chunks: no cursor stays open for a slow client."""
        ordered = self.rows(wallet).order_by(*[term.by for term in self.order])
        rows = ordered
        while chunk := list(rows[:CHUNK]):
            yield chunk
            if len(chunk) < CHUNK:
                return
            rows = ordered.filter(self._behind(chunk[-1]))

    def _behind(self, last: Message) -> Q:
        if self._with_unheld:
            return Q(pk__lt=last.pk)
        same = Q(held_at=last.held_at, pk__lt=last.pk)
        return Q(held_at__lte=last.held_at) & (Q(held_at__lt=last.held_at) | same)

    def _within(self, wallet: Wallet) -> QuerySet[Message]:
        """Return the messages that match all filters except state, mode and flag."""
        rows = Message.objects.filter(wallet=wallet)
        if not self._with_unheld:
            rows = rows.filter(held_at__isnull=False)
        if self.begin:
            rows = rows.filter(held_at__gte=self.begin)
        if self.end:
            rows = rows.filter(held_at__lt=self.end)
        if self.chatbot:
            rows = rows.filter(chatbot=self.chatbot)
        if self.campaign is not None:
            its = Recipient.objects.filter(
                campaign=self.campaign, message_id=OuterRef("message_id")
            ).exclude(error=OTHER_BODY)
            rows = rows.filter(_begins_with(f"{self.campaign.public_id}-"), Exists(its))
        return rows.filter(self._found(wallet)) if self.search else rows

    def _found(self, wallet: Wallet) -> Q:
        """Match messages to this number, else the one with this ID, else IDs that start with it."""
        sent = _sent_to(wallet, self.search)
        if sent:
            return Q(message_id__in=sent)
        whole = Q(message_id=self.search)
        if Message.objects.filter(whole, wallet=wallet).exists():
            return whole
        return _begins_with(self.search)


def _begins_with(text: str) -> Q:
    """Match IDs that begin with the text. SQLite uses an index for a range, but not for LIKE."""
    if connection.vendor == "sqlite":
        return Q(message_id__gte=text, message_id__lt=text + HIGHEST)
    return Q(message_id__startswith=text)


def _sent_to(wallet: Wallet, text: str) -> list[str]:
    """Return the IDs of a wallet's campaign messages to exactly this number, the latest first."""
    try:
        number = parse(text)
    except NotANumberError:
        return []
    digits = number.removeprefix("+")
    # Chinese numbers are stored with +86 and typed without.
    written = {number, f"+{digits}", f"+86{digits}"}
    found = Recipient.objects.filter(campaign__wallet=wallet, number__in=written)
    found = found.exclude(state=Recipient.State.WAITING).exclude(error=OTHER_BODY)
    return list(found.order_by("-pk").values_list("message_id", flat=True)[:SAME_NUMBER])


def recipients_of(wallet: Wallet, messages: Sequence[Message]) -> dict[str, Recipient]:
    """Return the recipients of campaign messages by message ID; API messages store no numbers."""
    ids = [message.message_id for message in messages]
    rows = Recipient.objects.filter(message_id__in=ids, campaign__wallet=wallet)
    rows = rows.exclude(error=OTHER_BODY).select_related("campaign")
    return {row.message_id: row for row in rows}


def latest_campaigns(wallet: Wallet) -> list[Campaign]:
    """Return the latest campaigns that began to send, as a filter for a list of messages."""
    rows = Campaign.objects.filter(wallet=wallet).exclude(started_at=None)
    return list(rows.order_by("-pk")[:LATEST_CAMPAIGNS])
