"""Processes the hot lane's requests: checks, prices and runs the items, returns each result."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from billing import wallet as commands
from billing.api.answers import Answered, charge_answer, failure_answer, report_answer
from billing.api.directory import look_back
from billing.api.reading_holds import (
    Asked,
    fallback_of,
    read_all,
    session_of,
    session_request,
)
from billing.api.running import run, run_each
from billing.errors import BillingError
from billing.pricing.modes import REPORTED
from billing.schemas import HoldIn, IdIn, ReportIn, SessionIn
from billing.services.holds import request_of
from billing.services.senders import WalletRef
from billing.wallet import Charge, DeliveryReport, HoldRequest, WalletRefusedError, reasons
from billing.wallet.rates import allow
from poolsite.access import Principal
from poolsite.api.reading import MalformedError
from poolsite.hotpath import HotPathError

TOO_MANY = BillingError("too-many-requests", "over this chatbot's messages per second")


@dataclass(slots=True)
class _Place:
    """One item of a request, until it has a response."""

    message_id: str
    asked: Asked | None = None
    request: HoldRequest | None = None
    outcome: Charge | Exception | None = None
    fallback: str = ""

    @property
    def goes_out(self) -> bool:
        """Whether the sender sends the message as soon as it is held."""
        return self.request is not None and self.request.sent

    def answer(self) -> Answered:
        more = self.asked.more(self.fallback) if self.asked is not None else {}
        if isinstance(self.outcome, Charge):
            return charge_answer(self.outcome, to_send=self.goes_out, **more)
        if self.outcome is None:
            raise TypeError("an item without an outcome")
        return failure_answer(self.outcome, self.message_id)


async def hold(
    ref: WalletRef, principal: Principal, items: Sequence[HoldIn | MalformedError]
) -> list[Answered]:
    """Hold messages independently of each other, in their order."""
    now = datetime.now(UTC)
    places = []
    for item, asked in zip(items, await read_all(ref, principal, items), strict=True):
        place = _Place(item.message_id if isinstance(item, HoldIn) else "")
        places.append(place)
        if isinstance(asked, Exception):
            place.outcome = asked
            continue
        place.asked = asked
        try:
            place.request = request_of(ref, asked.item, now)
        except BillingError as error:
            place.outcome = error
    await _keep_rates(ref, places)
    await _look_back(ref, places)
    waiting = [place for place in places if place.outcome is None]
    outcomes = await run(ref, "hold", [place.request for place in waiting])
    for place, outcome in zip(waiting, outcomes, strict=True):
        place.outcome = outcome
    await _mark_repeated(ref, waiting)
    await _recall_fallbacks(ref, places)
    return [place.answer() for place in places]


async def _mark_repeated(ref: WalletRef, places: Sequence[_Place]) -> None:
    """Mark earlier holds as sent if their repeat asks for that: the hold command doesn't do it."""
    again = [
        place
        for place in places
        if place.goes_out
        and isinstance(place.outcome, Charge)
        and (place.outcome.answer, place.outcome.state) == (reasons.REPEAT, "held")
    ]
    outcomes = await run(ref, "sent", [place.message_id for place in again])
    for place, outcome in zip(again, outcomes, strict=True):
        if isinstance(outcome, Charge) and outcome.answer == reasons.SENT:
            outcome = replace(outcome, answer=reasons.REPEAT, flag=reasons.REPEAT)
        place.outcome = outcome


async def _keep_rates(ref: WalletRef, places: Sequence[_Place]) -> None:
    """Refuse the items above a chatbot's rate limit: the later ones of a batch."""
    wanted: dict[str, list[_Place]] = {}
    for place in places:
        if place.outcome is None and place.asked is not None:
            wanted.setdefault(place.asked.item.chatbot, []).append(place)
    for chatbot, its in wanted.items():
        rate = ref.chatbots[chatbot].rate_limit
        if not rate:
            continue
        try:
            allowed = await ref.path.arun(allow(ref.slug, chatbot, rate, len(its)))
        except (HotPathError, WalletRefusedError) as error:
            for place in its:
                place.outcome = _refusal(place, error)
            continue
        for place in its[allowed:]:
            place.outcome = TOO_MANY


def _refusal(place: _Place, error: Exception) -> Charge | Exception:
    if isinstance(error, WalletRefusedError):
        return Charge(place.message_id, error.reason)
    return error


async def _look_back(ref: WalletRef, places: Sequence[_Place]) -> None:
    """Answer from the books for messages that ended so long ago that Redis may lack them."""
    if not ref.looks_back:
        return
    open_places = [place for place in places if place.outcome is None and place.request]
    hashes = {each.message_id: each.request.body_hash for each in open_places if each.request}
    if not hashes:
        return
    known = await look_back(ref.id, hashes)
    for place in open_places:
        place.outcome = known.get(place.message_id)


async def _recall_fallbacks(ref: WalletRef, places: Sequence[_Place]) -> None:
    """Give a repeated hold the fallback that the first hold's price is based on."""
    again = [
        place
        for place in places
        if place.asked is not None
        and place.asked.ability is not None
        and isinstance(place.outcome, Charge)
        and place.outcome.answer == reasons.REPEAT
    ]
    if again:
        states = await ref.path.arun(
            commands.messages(ref.slug, [each.message_id for each in again])
        )
        for place in again:
            state = states.get(place.message_id)
            place.fallback = fallback_of(state) if state is not None else ""


async def session(
    ref: WalletRef, principal: Principal, items: Sequence[SessionIn | MalformedError]
) -> list[Answered]:
    """Charge session messages independently: hold and settlement in one step."""
    now = datetime.now(UTC)
    places = []
    for item in items:
        place = _Place(item.message_id if isinstance(item, SessionIn) else "")
        places.append(place)
        try:
            if isinstance(item, MalformedError):
                raise item
            place.request = session_request(request_of(ref, session_of(ref, principal, item), now))
        except (MalformedError, PermissionError, BillingError) as error:
            place.outcome = error
    await _look_back(ref, places)
    waiting = [place for place in places if place.outcome is None and place.request]
    to_run = [commands.session(ref.slug, each.request) for each in waiting if each.request]
    for place, outcome in zip(waiting, await run_each(ref, to_run), strict=True):
        place.outcome = outcome
    return [place.answer() for place in places]


async def mark(ref: WalletRef, what: str, items: Sequence[IdIn | MalformedError]) -> list[Answered]:
    """Mark messages as sent, or cancel them, by their IDs. `what` is `sent` or `cancel`."""
    return [
        charge_answer(outcome) if isinstance(outcome, Charge) else failure_answer(outcome, its_id)
        for its_id, outcome in await _run_known(ref, what, [(each, _id) for each in items])
    ]


async def settle(ref: WalletRef, items: Sequence[ReportIn | MalformedError]) -> list[Answered]:
    """Process status reports."""
    return [
        report_answer(outcome) if isinstance(outcome, Charge) else failure_answer(outcome, its_id)
        for its_id, outcome in await _run_known(ref, "settle", [(each, _report) for each in items])
    ]


def _id(item: IdIn) -> str:
    return item.message_id


def _report(item: ReportIn) -> DeliveryReport:
    """Return the report. A delivered message with an unknown mode has an unreadable mode, None."""
    if not (item.final and item.delivered):
        return DeliveryReport(item.message_id, item.final, item.delivered)
    mode = item.mode if item.mode in REPORTED else None
    return DeliveryReport(item.message_id, True, True, mode)


async def _run_known(
    ref: WalletRef, what: str, items: Sequence[tuple[Any, Any]]
) -> list[tuple[str, Charge | Exception]]:
    """Run the items that could be read. Return the ID and result of every item, in order."""
    good = [make(item) for item, make in items if not isinstance(item, MalformedError)]
    outcomes = iter(await run(ref, what, good))
    return [
        ("", item) if isinstance(item, MalformedError) else (item.message_id, next(outcomes))
        for item, _ in items
    ]
