"""The gateway's own books of accepted, delivered and reported messages. They survive a crash.

There is one JSON line per fact, written before the fact is reported. A new process reads them and
continues where the old one was killed.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

Key = tuple[str, str]  # account, message ID: IDs are unique within one account


@dataclass(slots=True)
class Accepted:
    """One message, from when the gateway accepted it."""

    account: str
    message_id: str
    number: str
    native: str
    fallback: str
    body_hash: str
    accepted_at: float
    outcome: str = ""
    mode: str = ""  # delivered by; "" means not (yet)
    ended: bool = False
    reported: int = 0

    @property
    def key(self) -> Key:
        return self.account, self.message_id

    def as_row(self) -> dict[str, Any]:
        """Return the row that `GET /ledger` shows."""
        return {
            "account": self.account,
            "message_id": self.message_id,
            "number": self.number,
            "native": self.native,
            "fallback": self.fallback,
            "outcome": self.outcome,
            "delivered": bool(self.mode),
            "mode": self.mode,
            "ended": self.ended,
            "reported": self.reported,
            "accepted_at": self.accepted_at,
        }


@dataclass
class Ledger:
    """The messages by account and ID, in the order in which they arrived."""

    file: Path | None = None
    messages: dict[Key, Accepted] = field(default_factory=dict)
    repeats: int = 0
    _output: TextIO | None = None

    def open(self) -> None:
        """Read the lines of an earlier process, and continue writing to the same file."""
        if self.file is None:
            return
        if self.file.exists():
            for line in _whole_lines(self.file):
                self._apply(json.loads(line))
        self._output = self.file.open("a", encoding="utf-8", buffering=1)

    def close(self) -> None:
        if self._output is not None:
            self._output.close()

    def accept(self, message: Accepted) -> None:
        """Accept a message. It is in the file before the caller gets an answer."""
        self._write(
            {
                "op": "accept",
                "account": message.account,
                "id": message.message_id,
                "number": message.number,
                "native": message.native,
                "fallback": message.fallback,
                "hash": message.body_hash,
                "at": message.accepted_at,
            }
        )

    def end(self, message: Accepted, mode: str) -> None:
        """Record how the message was delivered; "" means that it was not."""
        self._write({"op": "end", "account": message.account, "id": message.message_id, "m": mode})

    def report(self, message: Accepted, place: int) -> None:
        """Record that the platform accepted the report at this place of the plan."""
        self._write(
            {"op": "report", "account": message.account, "id": message.message_id, "place": place}
        )

    def _write(self, fact: dict[str, Any]) -> None:
        if self._output is not None:
            self._output.write(json.dumps(fact, ensure_ascii=False) + "\n")
        self._apply(fact)

    def _apply(self, fact: dict[str, Any]) -> None:
        key = (fact["account"], fact["id"])
        if fact["op"] == "accept":
            self.messages[key] = Accepted(
                *key, fact["number"], fact["native"], fact["fallback"], fact["hash"], fact["at"]
            )
        elif fact["op"] == "end":
            self.messages[key].mode, self.messages[key].ended = fact["m"], True
        else:
            known = self.messages[key]
            known.reported = max(known.reported, fact["place"] + 1)

    def rows(self, account: str = "") -> Iterator[Accepted]:
        """Return the messages of one account, or of all."""
        return (each for each in self.messages.values() if account in ("", each.account))

    def summary(self, account: str = "") -> dict[str, Any]:
        """Return counts by outcome and by the mode of delivery."""
        outcomes: Counter[str] = Counter()
        modes: Counter[str] = Counter()
        for each in self.rows(account):
            outcomes[each.outcome] += 1
            if each.mode:
                modes[each.mode] += 1
        return {
            "accepted": outcomes.total(),
            "delivered": modes.total(),
            "repeats": self.repeats,
            "by_outcome": dict(outcomes),
            "by_mode": dict(modes),
        }


def _whole_lines(file: Path) -> Iterator[str]:
    """Yield the file's lines, except a last one that was cut off when the writer died."""
    text = file.read_text(encoding="utf-8")
    if text and not text.endswith("\n"):
        text = text[: text.rfind("\n") + 1]
        file.write_text(text, encoding="utf-8")
    return iter(text.splitlines())
