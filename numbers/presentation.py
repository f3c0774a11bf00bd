"""How pages describe the events of a number: each event has a title and one line of why."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from numbers.models import PoolEvent
from poolsite.console.templatetags.console import span
from poolsite.number_format import masked

STATE_WORDS: dict[str, tuple[str, Callable[[], str]]] = {
    "R": ("chip--ok", lambda: _("Idle")),
    "C": ("chip--info", lambda: _("In call")),
    "L": ("chip--warn", lambda: _("In call, offline")),
    "O": ("", lambda: _("Offline")),
    "Q": ("chip--line", lambda: _("Quarantined")),
    "r": ("", lambda: _("Resting")),
    "p": ("", lambda: _("Daily limit reached")),
    "o": ("", lambda: _("Offered to a waiting call")),
    "x": ("chip--warn", lambda: _("Previous call active")),
    "u": ("chip--warn", lambda: _("Unconfirmed")),
    "s": ("chip--warn", lambda: _("Suspect")),
    "l": ("chip--warn", lambda: _("Suspect, offline")),
    "?": ("chip--bad", lambda: _("Unreadable")),
    "-": ("chip--bad", lambda: _("Not in Redis")),
}
_RELEASED: dict[str, str] = {
    "switch restarted": gettext_noop("Released: its switch restarted"),
    "lost hangup": gettext_noop("Released: the hangup was lost"),
    "lease ended": gettext_noop("Released: the lease ended"),
    "not in live list": gettext_noop("Released: its switch no longer lists the call"),
    "unpaid": gettext_noop("Released: the call was not paid for"),
}
_ENDS: dict[str, str] = {
    "hangup": gettext_noop("Hung up"),
    "forced": gettext_noop("Hung up by an operator"),
    "released": gettext_noop("Released"),
    "lost with Redis": gettext_noop("Lost when Redis lost data"),
    "end not heard": gettext_noop("End not reported"),
}
IN_CALL = frozenset("CLsl")


def chip_of(letter: str) -> str:
    """The chip's class for a state's letter (numbers/topics/states.py)."""
    return STATE_WORDS.get(letter, STATE_WORDS["-"])[0]


def word_of(letter: str) -> str:
    """The state's label for its letter."""
    return STATE_WORDS.get(letter, STATE_WORDS["-"])[1]()


def end_of(how: str) -> str:
    """How a call ended, for people. `how` is CallRecord.ended_how, perhaps with a reason."""
    event, _colon, reason = how.partition(": ")
    if event == "released" and reason in _RELEASED:
        return _(_RELEASED[reason])
    if event not in _ENDS:
        return how
    return f"{_(_ENDS[event])}: {reason}" if reason else _(_ENDS[event])


@dataclass(frozen=True, slots=True)
class StoryItem:
    """One line of a timeline. `dot` is the appearance of the state after the event."""

    at: datetime
    dot: str
    title: str
    why: str

    def as_json(self) -> dict[str, Any]:
        """The item as the browser's timeline expects it."""
        return {"at": self.at.isoformat(), "dot": self.dot, "title": self.title, "why": self.why}


def story_items(events: Sequence[PoolEvent]) -> list[StoryItem]:
    """Return events, newest first, as a timeline. O(n)."""
    return [_item(event) for event in events]


def _item(event: PoolEvent) -> StoryItem:
    at = datetime.fromtimestamp(event.at_us / 1_000_000, UTC)
    title, why = _SAYINGS.get(event.event, _other)(event)
    return StoryItem(at, dot_of(event.state_after), title, " · ".join(part for part in why if part))


def dot_of(code: str) -> str:
    """The dot's appearance for a state's code in the history: `iu`, `bdq`, `-` …"""
    if "q" in code[2:]:
        return "quarantined"
    return {"iu": "ready", "bu": "call", "bd": "lost"}.get(code[:2], "offline")


def short_id(call_id: str) -> str:
    """The beginning of a call ID, enough to distinguish the calls of one number."""
    return call_id if len(call_id) <= 12 else f"{call_id[:8]}…"


Saying = tuple[str, list[str]]
Sayer = Callable[[PoolEvent], Saying]


def _call(event: PoolEvent) -> Saying:
    who = event.agent
    if event.direction == "in":
        title = _("Incoming call")
        caller = _("from %(number)s") % {"number": masked(event.callee)} if event.callee else ""
        return title, [caller, _from_switch(event)]
    title = _("Picked for %(agent)s") % {"agent": who} if who else _("Picked")
    if event.reason == "adopted":
        return title, [_("Adopted from %(switch)s's live list") % {"switch": event.switch or "?"}]
    callee = _("callee %(number)s") % {"number": masked(event.callee)} if event.callee else ""
    return title, [_picked(event), callee or _from_switch(event)]


def _picked(event: PoolEvent) -> str:
    rule, since = str(event.detail.get("picked", "")), event.detail.get("since_us")
    if rule == "longest" and since:
        rested = span(max(0, event.at_us - int(since)) / 1_000_000)
        return _("Idle longest: %(time)s") % {"time": rested}
    return picked_word(rule)


def picked_word(rule: str) -> str:
    """Why a number was picked (numbers.pool.changes.PoolChange.picked), for people."""
    words = {
        "longest": _("Idle longest"),
        "sticky": _("Same callee as before (sticky)"),
        "near": _("Near the callee"),
        "asked": _("This number was requested"),
        "offered": _("Given to the first waiting call"),
    }
    return words.get(rule, rule)


def _hangup(event: PoolEvent) -> Saying:
    return _("Hung up"), [event.reason, *_call_facts(event)]


def _forced(event: PoolEvent) -> Saying:
    return _("Hung up by an operator"), [event.reason, *_call_facts(event)]


def _released(event: PoolEvent) -> Saying:
    title = _RELEASED.get(event.reason)
    if title is None:
        return _("Released"), [event.reason, *_call_facts(event)]
    return _(title), _call_facts(event)


def _rested(event: PoolEvent) -> Saying:
    return _("Rest shortened"), [_("Redis' clock was set back")]


def _confirmed(event: PoolEvent) -> Saying:
    return _("Confirmed"), [_("No other pool has this number")]


def _call_facts(event: PoolEvent) -> list[str]:
    since = event.detail.get("since_us")
    length = ""
    if since:
        lasted = max(0, event.at_us - int(since)) / 1_000_000
        length = _("after %(time)s") % {"time": span(lasted)}
    call = _("call %(id)s") % {"id": short_id(event.call_id)} if event.call_id else ""
    return [length, _from_switch(event), call]


def _suspect(event: PoolEvent) -> Saying:
    return _("Suspect: its switch stopped reporting"), [event.switch]


def _registered(event: PoolEvent) -> Saying:
    again = event.state_before[1:2] == "u"
    title = _("Registered again") if again else _("Registered")
    return title, [event.switch, event.reason]


def _unregistered(event: PoolEvent) -> Saying:
    expired = event.reason == "expired"
    return _("Registration expired") if expired else _("Registration lost"), [
        event.switch,
        "" if expired else event.reason,
    ]


def _from_switch(event: PoolEvent) -> str:
    return _("via %(switch)s") % {"switch": event.switch} if event.switch else ""


def _plain(title: str) -> Sayer:
    def say(event: PoolEvent) -> Saying:
        return _(title), [event.reason, event.switch]

    return say


def _other(event: PoolEvent) -> Saying:
    return event.event.replace("_", " ").capitalize(), [event.reason, event.switch]


_SAYINGS: dict[str, Sayer] = {
    "call": _call,
    "hangup": _hangup,
    "forced": _forced,
    "released": _released,
    "reg": _registered,
    "unreg": _unregistered,
    "suspect": _suspect,
    "add": _plain(gettext_noop("Added to the pool")),
    "del": _plain(gettext_noop("Deleted from the pool")),
    "renew": _plain(gettext_noop("Lease renewed")),
    "quarantined": _plain(gettext_noop("Quarantined")),
    "unquarantined": _plain(gettext_noop("Released from quarantine")),
    "confirmed": _confirmed,
    "rested": _rested,
}
