"""The requests of an instance to the number pool, through its public interface."""

import asyncio
import logging
import time

import httpx

from integrations.simulator.client import PoolClient, UnreachableError, until_answered

logger = logging.getLogger(__name__)

LIVE_LIST_SECONDS = 10.0


class Caller:
    """One switch of a pool: gets a number for a call, returns it, and reports its calls."""

    def __init__(self, http: httpx.AsyncClient, pool: str, switch: str, token: str) -> None:
        self._client = PoolClient(http=http, slug=pool, token=token)
        self._switch = switch
        self._incarnation = f"{time.time_ns() // 1_000_000:x}"
        self._asked: dict[str, float] = {}
        self.numbers: dict[str, str] = {}  # call id → number
        self.refused = 0

    async def call(self, call_id: str, callee: str) -> str:
        """Return a number for the call, or "" if the pool has none or does not answer."""
        self._asked[call_id] = time.monotonic()
        event = self._event("call", call_id=call_id, agent=self._switch, callee=callee)
        try:
            answer = await until_answered(self._client, event, tries=3)
        finally:
            self._asked.pop(call_id, None)
        if answer is None or not answer.ok:
            self.refused += 1
            if answer is None:  # the outcome is unknown: report the end
                await until_answered(self._client, self._event("hangup", call_id=call_id), tries=3)
            return ""
        self.numbers[call_id] = str(answer.body.get("number", ""))
        return self.numbers[call_id]

    async def hang_up(self, call_id: str) -> None:
        """Report the end of a call. This is harmless if the call had no number."""
        number = self.numbers.pop(call_id, "")
        if number:
            event = self._event("hangup", call_id=call_id, number=number)
            await until_answered(self._client, event)

    async def tell_what_is_live(self) -> None:
        """Report all calls again and again, so that the pool ends those that don't exist here."""
        while True:
            await asyncio.sleep(LIVE_LIST_SECONDS)
            report = {
                "switch": self._switch,
                "incarnation": self._incarnation,
                "as_of": self._client.as_of_us,
                "calls": [
                    *({"call_id": key, "number": value} for key, value in self.numbers.items()),
                    *({"call_id": key} for key in self._asked if key not in self.numbers),
                ],
            }
            try:
                await self._client.send_live_list(report)
            except UnreachableError as error:
                logger.info("caller: %s", error)

    def _event(self, name: str, **fields: object) -> dict[str, object]:
        known = {"event": name, "switch": self._switch, "incarnation": self._incarnation}
        return {**known, **fields}
