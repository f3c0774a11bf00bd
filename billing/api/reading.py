"""Balances and messages in the API's form, for the hot lane and for Django."""

from contextlib import suppress

from channels.db import database_sync_to_async

from billing import wallet as commands
from billing.api.answers import held_and_charged
from billing.api.directory import EXECUTOR
from billing.models import Message
from billing.money import plain
from billing.schemas import BalanceOut, MessageOut
from billing.services.senders import WalletRef
from billing.wallet import Balance, MessageState
from billing.wallet.messages import OPEN
from poolsite.hotpath import HotPathError


async def balance_of(ref: WalletRef) -> Balance | None:
    """Return a wallet's figures after releasing expired holds, or None if it has no data."""
    balance = await ref.path.arun(commands.balance(ref.slug))
    if balance is not None and balance.has_due:
        with suppress(HotPathError):  # a full server accepts no writes, but still has the figures
            await ref.path.arun(commands.sweep(ref.slug))
            balance = await ref.path.arun(commands.balance(ref.slug))
    return balance


def balance_now(ref: WalletRef) -> Balance | None:
    """Like `balance_of`, without an event loop."""
    balance = ref.path.run(commands.balance(ref.slug))
    if balance is not None and balance.has_due:
        with suppress(HotPathError):
            ref.path.run(commands.sweep(ref.slug))
            balance = ref.path.run(commands.balance(ref.slug))
    return balance


def balance_out(ref: WalletRef, balance: Balance) -> BalanceOut:
    """Return a wallet's figures in the API's form."""
    return BalanceOut(
        account=ref.slug,
        currency=ref.currency,
        status=balance.status,  # type: ignore[arg-type]  # one of the four statuses
        balance=plain(balance.bal),
        credit_limit=plain(balance.credit),
        promotional=plain(balance.promotional),
        spendable=plain(balance.spendable),
        held=plain(balance.held),
        receivable=plain(balance.receivable),
        spent_today=plain(balance.spent),
        daily_limit=plain(balance.settings.daily_limit),
        open_holds=balance.open,
        generation=balance.generation,
        seq=balance.seq,
        as_of=balance.as_of_us,
    )


async def message_of(ref: WalletRef, message_id: str) -> MessageOut | None:
    """Return a message from the wallet, else from the books, or None if neither has it."""
    if not is_id(message_id):
        return None
    state = await ref.path.arun(commands.message(ref.slug, message_id))
    return message_out(state) if state is not None else await _from_books(ref.id, message_id)


def message_now(ref: WalletRef, message_id: str) -> MessageOut | None:
    """Like `message_of`, without an event loop."""
    if not is_id(message_id):
        return None
    state = ref.path.run(commands.message(ref.slug, message_id))
    return message_out(state) if state is not None else _of_row(ref.id, message_id)


def is_id(text: str) -> bool:
    """Whether the text can be a message ID."""
    return 0 < len(text) <= 80 and all("!" <= character <= "~" for character in text)


def message_out(state: MessageState) -> MessageOut:
    """Return a message of the wallet in the API's form."""
    return MessageOut(
        message_id=state.message_id,
        kind=state.kind,  # type: ignore[arg-type]  # one of its choices
        state=state.state,
        mode=state.mode,
        chatbot=state.chatbot,
        tariff=state.tariff_id,
        quoted=plain(state.quoted),
        **held_and_charged(state.state, state.charged),
        prices={mode: plain(price) for mode, price in state.prices.items()},
        since=state.since_us,
    )


def _of_row(wallet_id: int, message_id: str) -> MessageOut | None:
    row = Message.objects.filter(wallet_id=wallet_id, message_id=message_id).first()
    if row is None:
        return None
    since = row.ended_at or row.sent_at or row.held_at
    return MessageOut(
        message_id=row.message_id,
        kind=row.kind,  # type: ignore[arg-type]  # one of its choices
        state=row.state,
        mode=row.mode,
        chatbot=row.chatbot,
        tariff=row.tariff_id,
        quoted=plain(row.quoted),
        **held_and_charged(row.state, row.quoted if row.state in OPEN else row.charged),
        prices={},
        since=None if since is None else int(since.timestamp() * 1_000_000),
    )


_from_books = database_sync_to_async(_of_row, thread_sensitive=False, executor=EXECUTOR)
