"""Requests, answers and frames of the pool's public interfaces, one definition for every lane."""

from typing import Annotated, Literal

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

from poolsite import number_format
from poolsite.api.problems import Problem

ITEMS_LIMIT = 1_000
BODY_LIMIT_BYTES = 1_000_000
LIVE_BODY_LIMIT_BYTES = 8_000_000  # 100 000 calls
WAIT_LIMIT_MS = 60_000

# No control characters (NUL among them) in what is stored, shown and logged.
_PRINTABLE = r"^[^\x00-\x1f\x7f]*$"


def _number(text: str) -> str:
    return number_format.parse(text)


def _callee(text: str) -> str:
    """A callee that is a number is written as one; anything else (a SIP address) stays."""
    result = number_format.normalise(text)
    return result.value if isinstance(result, number_format.Normalised) else text


NumberText = Annotated[
    str, StringConstraints(min_length=1, max_length=256), AfterValidator(_number)
]
Name64 = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=_PRINTABLE)]
CallId = Annotated[str, StringConstraints(min_length=1, max_length=128, pattern=_PRINTABLE)]
Text256 = Annotated[str, StringConstraints(min_length=1, max_length=256, pattern=_PRINTABLE)]
Callee = Annotated[Name64, AfterValidator(_callee)]
Direction = Literal["in", "out"]
EventName = Literal["add", "del", "reg", "unreg", "call", "hangup", "renew"]
Micros = Annotated[int, Field(ge=0, le=2**53)]

_STRICT = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)


class Event(BaseModel):
    """One event of a number. Only `event` is always needed; `call` without a number picks one."""

    model_config = _STRICT

    event: EventName
    number: NumberText | None = None
    call_id: CallId | None = Field(None, description="Names one attempt; makes repeats safe.")
    switch: Name64 | None = None
    incarnation: Name64 | None = Field(None, description="The switch's boot id.")
    agent: Name64 | None = None
    callee: Callee | None = None
    direction: Direction | None = None
    force: bool | None = Field(None, description="`call`: take the number even while it rests.")
    sticky: bool | None = Field(None, description="`call`: the callee's last number, if free.")
    near: bool | None = Field(None, description="`call`: a number of the callee's region first.")
    paid: Name64 | None = Field(None, description="Voucher of a charged pool.")
    contact: Text256 | None = None
    expires: int | None = Field(None, ge=0, le=10 * 365 * 86_400, description="Seconds.")
    seq: int | None = Field(None, ge=0, le=2**53)
    reason: Text256 | None = None
    wait_ms: int | None = Field(
        None, ge=0, le=WAIT_LIMIT_MS, description="`call`: wait this long for a number."
    )
    cause: Name64 | None = Field(
        None, description="`hangup`: the switch's release cause (Q.850 or SIP), as it says it."
    )
    answered: bool | None = Field(None, description="`hangup`: whether the callee answered.")
    talk_seconds: int | None = Field(
        None,
        ge=0,
        le=10 * 365 * 86_400,
        description="`hangup` of an answered call: seconds from the answer to the end.",
    )


class Answer(BaseModel):
    """What became of one event. `as_of` is the server's time in µs: name it in a live list."""

    outcome: Literal["ok", "failed", "error"]
    number: str = ""
    state: str = Field("", description="`idle+up` … `busy+down`, `nodata`; empty: no number.")
    reason: str = ""
    lease_seconds: int | None = Field(None, description="`call`: renew or hang up before.")
    agent: str | None = Field(None, description="Inbound call: who used the number last.")
    as_of: int = 0


class EventProblem(Problem):
    """What an event that was not done answers: the fields of `Answer` beside."""

    outcome: Literal["failed", "error"] | None = None
    number: str | None = None
    state: str | None = None
    as_of: int | None = None


class EventItemAnswer(Answer):
    """One item's answer in a batch: the status and problem type it would have had alone."""

    status: int
    type: str | None = None
    detail: str | None = None


class LiveCall(BaseModel):
    """One call that a switch has now."""

    model_config = _STRICT

    call_id: CallId
    number: NumberText | None = None


class LiveList(BaseModel):
    """Every call that a switch has now, taken after it had received the answer `as_of`."""

    model_config = _STRICT

    switch: Name64
    incarnation: Name64
    as_of: Micros = 0
    calls: list[LiveCall] = Field(max_length=100_000)


class ListedCall(BaseModel):
    """A call that a live list's answer names; the number is empty where it is not known."""

    call_id: str
    number: str


class LiveListAnswer(BaseModel):
    """What the pool made of a live list."""

    outcome: Literal["ok"] = "ok"
    as_of: int
    renewed: int
    adopted: list[ListedCall] = Field(description="Taken (back) into the pool.")
    lease_without_call: list[ListedCall] = Field(
        description="The pool has them, the list does not; released after two lists in a row."
    )
    call_without_lease: list[ListedCall] = Field(
        description="The list has them, the pool does not; adopted after two lists in a row."
    )
    conflict: list[ListedCall] = Field(
        description="The number is in another call, or the call has another number."
    )
    released: list[ListedCall] = Field(description="What this list released.")
    hang_up: list[str] = Field(description="Call ids that must end now.")


class Counts(BaseModel):
    """A pool's figures now; offered, carried and blocked since the pool began."""

    idle_up: int
    idle_down: int
    busy_up: int
    busy_down: int
    quarantined: int
    resting: int
    pickable: int
    offered: int
    carried: int
    carried_in: int = Field(description="Inbound calls, counted apart.")
    blocked: int
    waiting: int


class PoolOut(BaseModel):
    """A pool with its settings and live figures."""

    slug: str
    name: str
    account: str | None
    status: Literal["open", "paused", "recovering", "lost"]
    status_reason: str
    numbers: int
    counts: Counts | None = Field(description="Null while Redis has lost the pool.")
    lease_seconds: int
    suspect_seconds: int
    switch_interval_seconds: int
    cooldown_seconds: int
    daily_cap: int
    sticky_seconds: int
    near: bool
    home_country: str = Field(description="Where numbers without a country code belong.")
    number_spelling: str = Field(description="How switches are answered: e164, national, digits.")
    charged: bool
    added_by_script: Literal["lend", "confirm", "refuse"] = Field(
        description="What becomes of a number that the event `add` brings."
    )
    as_of: int


SwitchKindWord = Literal["media", "proxy"]


class SwitchIn(BaseModel):
    """A new switch. `kind`: what its restart means for its calls."""

    model_config = _STRICT

    name: Name64
    kind: SwitchKindWord = Field("proxy", description="media: ends them; proxy: they go on.")


class SwitchChangeIn(BaseModel):
    """Another kind, which counts from the next restart on."""

    model_config = _STRICT

    kind: SwitchKindWord


class SwitchOut(BaseModel):
    """A switch of a pool."""

    name: str
    kind: SwitchKindWord
    kind_chosen: bool = Field(description="False: nobody has chosen the kind yet.")
    incarnation: str
    last_heard: str | None


class SwitchMadeOut(SwitchOut):
    """A new switch, with the secret of its token, which is shown this one time."""

    token: str


class NumberOut(BaseModel):
    """A number as SQL remembers it and as it is now."""

    number: str = Field(description="The canonical form: E.164, or a short number's digits.")
    stored_as: str = Field(description="The spelling under which Redis knows it.")
    pool: str
    label: str
    tags: list[str]
    region: str
    carrier: str
    state: str
    pickable: bool
    why_not: str = Field(
        description="resting, quarantined, capped, old call, unconfirmed, suspect, …"
    )
    pickable_from: int | None = Field(description="µs; null unless it rests or is capped.")
    call_id: str
    agent: str
    callee: str
    switch: str
    direction: str
    since: int | None = Field(description="Start of the running call, µs.")
    lease_until: int | None
    as_of: int


class WhoHadIn(BaseModel):
    """A moment, and at least one of the four names."""

    model_config = ConfigDict(extra="forbid")

    at: AwareDatetime = Field(description="The moment, with its zone.")
    number: str = Field("", max_length=256)
    callee: str = Field("", max_length=64)
    agent: str = Field("", max_length=64)
    call_id: str = Field("", max_length=128)


class HadOut(BaseModel):
    """One call that ran at the asked time."""

    number: str
    pool: str
    call_id: str
    direction: str
    agent: str
    callee: str
    switch: str
    started_at: str
    ended_at: str | None
    ended_how: str


FrameId = Annotated[str, StringConstraints(max_length=64)] | Annotated[int, Field(ge=0, le=2**53)]


class EventFrame(Event):
    """An event on the websocket; `id` comes back with its answer."""

    id: FrameId | None = None


class LiveFrame(BaseModel):
    """A live list on the websocket."""

    model_config = _STRICT

    id: FrameId | None = None
    live: LiveList


class PingFrame(BaseModel):
    """Asks whether the other end still lives, and for the server's time."""

    model_config = _STRICT

    id: FrameId | None = None
    ping: bool
