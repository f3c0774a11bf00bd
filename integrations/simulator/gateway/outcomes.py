"""The outcome of a message, by the last digit of its number: a table that people can read."""

import random
from dataclasses import dataclass
from typing import Final

NATIVE_MODES: Final = {"text": "native_text", "card": "native_card"}
RESOLVED, UNRESOLVED, VIDEO = "yuexin_resolved", "yuexin_unresolved", "video"

# last digit → name, description
OUTCOMES: Final = {
    "0": ("native", "delivered as the native message"),
    "1": ("resolved", "native fails, its Yuexin fallback is resolved on the phone"),
    "2": ("unresolved", "native fails, its Yuexin fallback stays a text"),
    "3": ("video", "native fails, its video fallback is delivered"),
    "4": ("failed", "nothing is delivered"),
    "5": ("late", "delivered at once, reported after more than 72 h"),
    "6": ("twice", "delivered natively, the final report comes twice"),
    "7": ("out of order", "delivered natively, the interim report comes after the final one"),
    "8": ("contradictory", "two final reports that say opposite things; the second is true"),
    "9": ("never", "nothing is delivered and nothing is ever reported"),
}


@dataclass(frozen=True, slots=True)
class StatusReport:
    """A status report. `after_seconds` counts from when the message was accepted."""

    after_seconds: float
    final: bool
    delivered: bool
    mode: str


@dataclass(frozen=True, slots=True)
class Plan:
    """The whole future of a message. `mode` is how it is delivered, or "" if it is not."""

    outcome: str
    mode: str
    delivered_after_seconds: float
    reports: tuple[StatusReport, ...]


@dataclass(frozen=True)
class NetworkPace:
    """The speed of the simulated network: seconds to a report, and the delay of late ones.

    unexpected_every: one in this many messages that fall back is delivered in a mode that it was
    not handed over with (0 means never).
    """

    interim_seconds: float = 0.4
    final_seconds: float = 2.0
    late_seconds: float = 72 * 3600 + 60.0
    unexpected_every: int = 0


def plan(number: str, native: str, fallback: str, pace: NetworkPace, chance: random.Random) -> Plan:
    """Decide about a message. The same arguments and state of `chance` give the same plan.

    native: text | card. fallback: yuexin | video. A gateway delivers what it was handed, so
    "resolved" without a Yuexin fallback is delivered as the video, and "video" without a video
    fallback as a text.
    """
    outcome = OUTCOMES[number[-1]][0]
    own = NATIVE_MODES[native]
    early = pace.interim_seconds * chance.uniform(0.5, 1.5)
    late = early + pace.final_seconds * chance.uniform(0.3, 1.7)
    under_way = StatusReport(early, final=False, delivered=False, mode=own)

    def final(mode: str, after_seconds: float = late) -> StatusReport:
        return StatusReport(after_seconds, final=True, delivered=bool(mode), mode=mode or own)

    if outcome in ("resolved", "unresolved", "video"):
        mode = _fallback_mode(outcome, fallback)
        if pace.unexpected_every and chance.randrange(pace.unexpected_every) == 0:
            mode = VIDEO if fallback == "yuexin" else UNRESOLVED
        return Plan(outcome, mode, late, (under_way, final(mode)))
    if outcome == "failed":
        return Plan(outcome, "", late, (under_way, final("")))
    if outcome == "late":
        return Plan(outcome, own, late, (final(own, pace.late_seconds),))
    if outcome == "twice":
        again = final(own, late + pace.interim_seconds)
        return Plan(outcome, own, late, (final(own), again))
    if outcome == "out of order":
        behind = StatusReport(late + pace.interim_seconds, final=False, delivered=False, mode=own)
        return Plan(outcome, own, late, (final(own), behind))
    if outcome == "contradictory":
        truth = own if int(number[-2:-1] or 0) % 2 else ""
        first = final("" if truth else own)
        second = final(truth, late + pace.final_seconds)
        return Plan(outcome, truth, second.after_seconds, (first, second))
    if outcome == "never":
        return Plan(outcome, "", late, ())
    return Plan(outcome, own, late, (final(own),))


def _fallback_mode(outcome: str, fallback: str) -> str:
    if fallback == "yuexin":
        return RESOLVED if outcome == "resolved" else UNRESOLVED
    return VIDEO


def table() -> list[str]:
    """Return the outcomes as lines of text."""
    width = max(len(name) for name, _ in OUTCOMES.values())
    return [f"{digit}  {name:<{width}}  {words}" for digit, (name, words) in OUTCOMES.items()]
