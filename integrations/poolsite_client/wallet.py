"""A prepaid account for senders and gateways: `Wallet` with blocking calls, `AsyncWallet`."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Unpack

from . import messages
from .clients import AsyncClient, AsyncOptions, Client, Options
from .errors import RejectedError
from .messages import Balance, HoldWords, Message, MessageResult, SessionWords

Verb = Literal["holds", "sent", "cancellations", "settlements", "sessions"]


class Wallet(Client):
    """One account. `token` is an API token that may hold money for it.

    You can repeat each method with the same message ID. RejectedError means that nothing was held
    or charged: `kind` is `insufficient-balance`, `daily-limit`, `other-body`, `too-late` …
    """

    def __init__(self, url: str, token: str, account: str, **options: Unpack[Options]) -> None:
        super().__init__(url, token, **options)
        self.account = account

    def hold(self, message_id: str, **words: Unpack[HoldWords]) -> MessageResult:
        """Hold the highest price that a message can cost."""
        return self._runner.run(messages.hold(self.account, message_id, words))

    def sent(self, message_id: str) -> MessageResult:
        """Mark a held message as sent, just before you hand it over."""
        return self._runner.run(messages.sent(self.account, message_id))

    def cancel(self, message_id: str) -> MessageResult:
        """Cancel a message that was not sent, and release its hold.

        The message can never be sent afterwards.
        """
        return self._runner.run(messages.cancel(self.account, message_id))

    def settle(
        self, message_id: str, *, delivered: bool, final: bool = True, mode: str | None = None
    ) -> MessageResult:
        """Report the gateway's status of a message. Only a final report moves money.

        This needs a token of the platform.
        """
        steps = messages.settle(
            self.account, message_id, final=final, delivered=delivered, mode=mode
        )
        return self._runner.run(steps)

    def session(self, message_id: str, **words: Unpack[SessionWords]) -> MessageResult:
        """Hold and settle a session message in one step."""
        return self._runner.run(messages.session(self.account, message_id, words))

    def send(
        self, verb: Verb, items: Sequence[Mapping[str, Any]]
    ) -> list[MessageResult | RejectedError]:
        """Send items of one route in the format of the API, in order. Return a result for each."""
        return self._runner.run(messages.send(self.account, verb, items))

    def message(self, message_id: str) -> Message:
        """Return the current state of a message, regardless of how long ago it ended."""
        return self._runner.run(messages.message(self.account, message_id))

    def balance(self) -> Balance:
        """Return the account's figures."""
        return self._runner.run(messages.balance(self.account))


class AsyncWallet(AsyncClient):
    """Like `Wallet`, for asyncio."""

    def __init__(self, url: str, token: str, account: str, **options: Unpack[AsyncOptions]) -> None:
        super().__init__(url, token, **options)
        self.account = account

    async def hold(self, message_id: str, **words: Unpack[HoldWords]) -> MessageResult:
        """Hold the highest price that a message can cost."""
        return await self._runner.run(messages.hold(self.account, message_id, words))

    async def sent(self, message_id: str) -> MessageResult:
        """Mark a held message as sent, just before you hand it over."""
        return await self._runner.run(messages.sent(self.account, message_id))

    async def cancel(self, message_id: str) -> MessageResult:
        """Cancel a message that was not sent, and release its hold.

        The message can never be sent afterwards.
        """
        return await self._runner.run(messages.cancel(self.account, message_id))

    async def settle(
        self, message_id: str, *, delivered: bool, final: bool = True, mode: str | None = None
    ) -> MessageResult:
        """Report the gateway's status of a message. Only a final report moves money.

        This needs a token of the platform.
        """
        steps = messages.settle(
            self.account, message_id, final=final, delivered=delivered, mode=mode
        )
        return await self._runner.run(steps)

    async def session(self, message_id: str, **words: Unpack[SessionWords]) -> MessageResult:
        """Hold and settle a session message in one step."""
        return await self._runner.run(messages.session(self.account, message_id, words))

    async def send(
        self, verb: Verb, items: Sequence[Mapping[str, Any]]
    ) -> list[MessageResult | RejectedError]:
        """Send items of one route in the format of the API, in order. Return a result for each."""
        return await self._runner.run(messages.send(self.account, verb, items))

    async def message(self, message_id: str) -> Message:
        """Return the current state of a message, regardless of how long ago it ended."""
        return await self._runner.run(messages.message(self.account, message_id))

    async def balance(self) -> Balance:
        """Return the account's figures."""
        return await self._runner.run(messages.balance(self.account))
