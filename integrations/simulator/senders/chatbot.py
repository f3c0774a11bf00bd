"""A chatbot: it holds each message through the platform's API, then hands it to the gateway.

If an answer is lost, the same ID is sent again: neither side does anything twice.
"""

import asyncio
import logging
import random
from dataclasses import dataclass, field
from typing import Any

import httpx

from integrations.simulator.retrying import pause_seconds

LOG = logging.getLogger(__name__)
TRIES = 6
LONGEST_PAUSE_SECONDS = 5.0
# How often each last digit occurs; the simulated gateway decides by it.
DIGITS = {"0": 48, "1": 20, "2": 10, "3": 14, "4": 5, "6": 1.5, "7": 1.5}


class NoAnswerError(Exception):
    """The outcome of a request is unknown after all tries."""


@dataclass(frozen=True)
class ChatbotConfig:
    """A sender of the simulation file."""

    account: str
    chatbot: str
    template: int
    token: str
    messages_per_minute: float = 12.0
    sessions_per_minute: float = 3.0


@dataclass
class Counters:
    """The counts of a chatbot's messages."""

    held: int = 0
    refused: int = 0
    handed_over: int = 0
    sessions: int = 0
    unpaid: int = 0
    unknown: int = 0


@dataclass
class Chatbot:
    """A chatbot that sends until cancelled."""

    config: ChatbotConfig
    platform: httpx.AsyncClient
    gateway: httpx.AsyncClient
    chance: random.Random
    counters: Counters = field(default_factory=Counters)

    async def run(self) -> None:
        """Send messages and session messages, each at its own rate."""
        await asyncio.gather(
            self._at_rate(self.config.messages_per_minute, self.send_one),
            self._at_rate(self.config.sessions_per_minute, self.answer_one),
        )

    async def _at_rate(self, per_minute: float, act: Any) -> None:
        if per_minute <= 0:
            return
        while True:
            await asyncio.sleep(self.chance.expovariate(per_minute / 60))
            try:
                await act()
            except NoAnswerError as error:
                self.counters.unknown += 1
                LOG.info("%s: %s", self.config.chatbot, error)

    async def send_one(self) -> None:
        """Hold a message, marked as sent, then hand it over."""
        number = self._number()
        message_id = f"{self.config.chatbot}-{self.chance.getrandbits(64):016x}"
        asked = {
            "message_id": message_id,
            "template": self.config.template,
            "to": number,
            "fallback": "by_terminal",
            "sent": True,
        }
        status, answer = await self._ask("holds", asked)
        if status != 200 or answer.get("state") not in ("held", "sent"):
            self.counters.refused += 1
            return
        self.counters.held += 1
        fallback = "yuexin" if answer.get("fallback") == "yuexin" else "video"
        body = {
            "chatbot": self.config.chatbot,
            "number": number,
            "native": {"kind": "card"},
            "fallback": {"kind": fallback},
        }
        path = f"/accounts/{self.config.account}/messages/{message_id}"
        taken = await self._again(lambda: self.gateway.put(path, json=body))
        if taken.is_success:
            self.counters.handed_over += 1

    async def answer_one(self) -> None:
        """Answer a terminal's user with a session message, under the ID of the user's message."""
        uplink = f"up-{self.chance.getrandbits(64):016x}"
        status, answer = await self._ask(
            "sessions", {"message_id": uplink, "text": "Your order is on its way."}
        )
        if status == 200:
            self.counters.sessions += 1
        elif answer.get("outcome") == "unpaid":
            self.counters.unpaid += 1
        else:
            self.counters.refused += 1

    async def _ask(self, what: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        path = f"/api/v1/accounts/{self.config.account}/{what}"
        headers = {"Authorization": f"Bearer {self.config.token}"}
        answer = await self._again(lambda: self.platform.post(path, json=body, headers=headers))
        try:
            read = answer.json()
        except ValueError:
            read = {}
        return answer.status_code, read if isinstance(read, dict) else {}

    async def _again(self, send: Any) -> httpx.Response:
        """Repeat until there is a decisive answer. Because of the ID, it takes effect only once."""
        last = ""
        for attempt in range(TRIES):
            try:
                answer: httpx.Response = await send()
            except (httpx.HTTPError, OSError) as error:
                last = repr(error)
            else:
                if answer.status_code < 500 and answer.status_code != 429:
                    return answer
                last = f"{answer.status_code} {answer.text[:120]}"
            await asyncio.sleep(pause_seconds(attempt, LONGEST_PAUSE_SECONDS))
        raise NoAnswerError(last)

    def _number(self) -> str:
        digit = self.chance.choices(list(DIGITS), list(DIGITS.values()))[0]
        return f"+86139{self.chance.randrange(10**7):07d}{digit}"
