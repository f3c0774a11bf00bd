"""The registered lines, as FreeSWITCH's events and lists report them.

A number is registered with FreeSWITCH by a phone or a gateway device (`sofia::register`), or
FreeSWITCH registers it with a carrier (`sofia::gateway_state`).
"""

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from .clock import SwitchClock
from .reports import QueuedEvent, register, unregister

# FreeSWITCH itself keeps a registration for this much longer (sip-expires-late-margin).
LATE_SECONDS = 60
_GATEWAY_UP = frozenset({"REGED"})
# TRYING, REGISTER and EXPIRED occur during every refresh and don't mean that the gateway is down.
_GATEWAY_DOWN = frozenset({"UNREGED", "UNREGISTER", "FAILED", "FAIL_WAIT", "DOWN", "TIMEOUT"})


class Lines:
    """Turns FreeSWITCH's data about registrations into reports.

    `pattern` matches the users that are numbers of the pool; other users (agents' phones) are
    ignored. `multiple`: several devices may register one number at the same time. Otherwise the
    newest registration counts, as it does in FreeSWITCH unless `multiple-registrations` is set.
    """

    def __init__(
        self,
        *,
        pattern: re.Pattern[str],
        multiple: bool,
        gateways: Mapping[str, Sequence[str]],
        clock: SwitchClock,
    ) -> None:
        self._pattern = pattern
        self._multiple = multiple
        self._gateways = gateways
        self._clock = clock
        self._up: set[tuple[str, str]] = set()
        self._heard: set[Hashable] = set()  # keys of reports since the list was requested

    def begin_list(self) -> None:
        """Note that a list is being requested. Events from now on are newer than the list."""
        self._heard.clear()

    def event(self, event: Mapping[str, str]) -> list[QueuedEvent]:
        """Return the reports for an event of mod_sofia; none if it is about no line of the pool."""
        reports = self._told(event)
        self._heard.update(report.key for report in reports)
        return reports

    def _told(self, event: Mapping[str, str]) -> list[QueuedEvent]:
        subclass = event.get("Event-Subclass", "")
        at_us = self._clock.at_us(event)
        if subclass == "sofia::gateway_state":
            return self._gateway(event.get("Gateway", ""), event.get("State", ""), at_us)
        if subclass == "sofia::register":  # a refresh (`update-reg: true`) is one, too
            return self._registered(
                event.get("from-user", ""),
                event.get("contact", ""),
                at_us,
                _seconds(event.get("expires", "")) + LATE_SECONDS,
            )
        if subclass == "sofia::unregister":
            return self._gone(event.get("from-user", ""), event.get("contact", ""), at_us)
        if subclass == "sofia::expire":  # the same fact with other header names
            user = event.get("user", "") or event.get("username", "")
            return self._gone(user, event.get("contact", ""), at_us)
        return []

    def listed(self, rows: Iterable[Mapping[str, Any]], at_us: int) -> list[QueuedEvent]:
        """Return the reports for a list of all registrations, read at FreeSWITCH's time `at_us`.

        An event may arrive between the list and its reading, in the same packet. So the list is
        ignored for lines that had an event since `begin_list`.
        """
        before, self._up = self._up, set()
        reports = []
        for row in rows:
            expires = _seconds(str(row.get("expires", ""))) - at_us // 1_000_000
            if expires > 0:
                user, contact = str(row.get("reg_user", "")), str(row.get("url", ""))
                reports += self._registered(user, contact, at_us, expires)
        self._up = {line for line in self._up if not self._was_heard(line)}
        self._up |= {line for line in before if self._is_gateways(line) or self._was_heard(line)}
        gone = [unregister(*line, seq=at_us) for line in sorted(before - self._up)]
        return gone + [report for report in reports if report.key not in self._heard]

    def gateway_listed(self, name: str, state: str) -> list[QueuedEvent]:
        """Return the reports for the present state of a gateway."""
        if any(
            self._was_heard((number, _gateway_contact(name))) for number in self._gateways[name]
        ):
            return []
        return self._gateway(name, state, self._clock.now_us())

    @property
    def gateways(self) -> list[str]:
        return list(self._gateways)

    def _registered(self, user: str, contact: str, at_us: int, seconds: int) -> list[QueuedEvent]:
        line = self._line(user, contact)
        if line is None:
            return []
        self._up.add(line)
        return [register(*line, seq=at_us, until=self._clock.loop_time(at_us, seconds))]

    def _gone(self, user: str, contact: str, at_us: int) -> list[QueuedEvent]:
        line = self._line(user, contact)
        if line is None:
            return []
        self._up.discard(line)
        return [unregister(*line, seq=at_us)]

    def _line(self, user: str, contact: str) -> tuple[str, str] | None:
        if not self._pattern.fullmatch(user):
            return None
        return user, _address(contact) if self._multiple else ""

    def _gateway(self, name: str, state: str, at_us: int) -> list[QueuedEvent]:
        """Return the reports for a gateway's numbers.

        They don't expire, because FreeSWITCH reports when the gateway is down.
        """
        reports = []
        for number in self._gateways.get(name, ()):
            line = number, _gateway_contact(name)
            if state in _GATEWAY_UP:
                self._up.add(line)
                reports.append(register(*line, seq=at_us, until=None))
            elif state in _GATEWAY_DOWN:
                self._up.discard(line)
                reports.append(unregister(*line, seq=at_us))
        return reports

    def _was_heard(self, line: tuple[str, str]) -> bool:
        return ("line", *line) in self._heard

    def _is_gateways(self, line: tuple[str, str]) -> bool:
        return line[1].startswith("gateway:")


def _gateway_contact(name: str) -> str:
    return f"gateway:{name}"


_ADDRESS = re.compile(r"sips?:([^>;\s]+)")


def _address(contact: str) -> str:
    """Return only the user and address of a contact.

    Events and lists write the rest of a contact differently
    (`"" <sip:138@10.0.0.9:5060;fs_nat=yes>`, `sofia/internal/sip:138@10.0.0.9:5060`).
    """
    found = _ADDRESS.search(contact)
    return found[1] if found else contact


def _seconds(text: str) -> int:
    return int(text) if re.fullmatch(r"[0-9]{1,12}", text) else 0
