"""The calls of the pool, and the channels that belong to each call.

The dialplan identifies a call by the UUID of its first channel, in the variable `pool_call`, which
is exported to the channels that it dials. The call lasts as long as any of these channels: if a
first gateway fails, the call continues while the caller waits for the second one, and after a
transfer the number is in use although the caller's own channel is gone.
"""

from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from .reports import Ending

CALL_VARIABLE = "pool_call"
NUMBER_VARIABLE = "pool_number"
ENDED_LIMIT = 50_000  # ended channels to remember: each end is reported three times
ASKED_LIMIT = 3  # how often a channel is asked whether it carries a call
MISSED_LIMIT = 2  # a channel is gone when this many lists in a row miss it
ID_LIMIT = 128


class Calls:
    """The calls of one run of FreeSWITCH, from its events and from its lists of channels."""

    def __init__(self) -> None:
        self._call_of: dict[str, str] = {}
        self._channels: dict[str, set[str]] = {}
        self._numbers: dict[str, str] = {}
        self._endings: dict[str, Ending] = {}
        self._ended: OrderedDict[str, None] = OrderedDict()
        self._asked: dict[str, int] = {}
        self._missed: dict[str, int] = {}

    def __contains__(self, call_id: str) -> bool:
        return call_id in self._channels

    def channels_of(self, call_id: str) -> list[str]:
        """Return the known live channels of a call."""
        return sorted(self._channels.get(call_id, ()))

    # -- events ------------------------------------------------------------------------------

    def see(self, event: Mapping[str, str]) -> None:
        """Note a live channel, and the call that it carries, if any."""
        self._note(event)

    def end(self, event: Mapping[str, str]) -> tuple[str, Ending] | None:
        """Note that a channel has ended. Return the call that ended with it, or None.

        FreeSWITCH reports an end up to three times, in any order. Only the first report counts.
        """
        channel = event.get("Unique-ID", "")
        if not channel or channel in self._ended:
            return None
        call_id = event.get(f"variable_{CALL_VARIABLE}", "")
        if call_id not in self._ended or call_id in self._channels:  # else it was reported already
            self._note(event)
        self._remember_end(channel)
        call_id = self._call_of.get(channel, "")
        if not call_id:
            return None
        self._keep_ending(call_id, channel, event)
        return self._leave(channel)

    def _note(self, event: Mapping[str, str]) -> None:
        call_id = event.get(f"variable_{CALL_VARIABLE}", "")
        number = event.get(f"variable_{NUMBER_VARIABLE}", "")
        self.carries(event.get("Unique-ID", ""), call_id, number)

    def carries(self, channel: str, call_id: str, number: str = "") -> None:
        """Note that a channel is part of a call.

        The call's first channel, its namesake, is added, too.
        """
        if not channel or not 0 < len(call_id) <= ID_LIMIT:
            return
        for each in (channel, call_id):
            if each not in self._ended and each not in self._call_of:
                self._call_of[each] = call_id
                self._channels.setdefault(call_id, set()).add(each)
        if number and call_id in self._channels:
            self._numbers[call_id] = number

    def _keep_ending(self, call_id: str, channel: str, event: Mapping[str, str]) -> None:
        """Store the cause of the end, and whether any of the call's channels was answered.

        The cause of the caller's channel has priority, because FreeSWITCH sets it to the outcome of
        the dialled channels.
        """
        before = self._endings.get(call_id, Ending())
        cause = event.get("Hangup-Cause", "") or before.cause
        if before.cause and call_id in self._ended and channel != call_id:
            cause = before.cause
        answered = event.get("Caller-Channel-Answered-Time", "0").strip("0") != ""
        self._endings[call_id] = Ending(cause, before.answered or answered)

    def _remember_end(self, channel: str) -> None:
        self._ended[channel] = None
        if len(self._ended) > ENDED_LIMIT:
            self._ended.popitem(last=False)

    def _leave(self, channel: str) -> tuple[str, Ending] | None:
        call_id = self._call_of.pop(channel)
        self._missed.pop(channel, None)
        channels = self._channels[call_id]
        channels.discard(channel)
        if channels:
            return None
        del self._channels[call_id]
        self._numbers.pop(call_id, None)
        return call_id, self._endings.pop(call_id, Ending())

    # -- lists of channels -------------------------------------------------------------------

    def unknown(self, listed: Iterable[str], *, ask_all: bool) -> list[str]:
        """Return the listed channels that must be asked whether they carry a call.

        An event may have been lost, and the variable is set after the channel has begun. So each
        channel is asked a few times, and after a new connection (`ask_all`) all of them are asked
        again.
        """
        asked = {} if ask_all else self._asked
        self._asked = {}
        chosen = []
        for channel in listed:
            if channel in self._call_of or channel in self._ended:
                continue
            times = asked.get(channel, 0)
            if times < ASKED_LIMIT:
                chosen.append(channel)
            self._asked[channel] = times + 1
        return chosen

    def listed(self, channels: Collection[str]) -> None:
        """Forget channels that are missing from several lists in a row.

        The pool learns of the end from the live list, which then omits their calls. FreeSWITCH
        writes its list a moment late, so one list is not enough.
        """
        named = set(channels)
        for channel in list(self._call_of):
            if channel in named:
                self._missed.pop(channel, None)
                continue
            missed = self._missed[channel] = self._missed.get(channel, 0) + 1
            if missed >= MISSED_LIMIT:
                self._remember_end(channel)
                self._leave(channel)

    def live(self) -> list[dict[str, Any]]:
        """Return the calls in the format of a live list."""
        return [
            {"call_id": call_id} | ({"number": number} if number else {})
            for call_id in self._channels
            for number in [self._numbers.get(call_id, "")]
        ]
