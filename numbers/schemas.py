"""Requests, answers and frames of the pool's public interfaces, one definition for every lane."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, Field, StringConstraints

from poolsite import number_format
from poolsite.api.problems import Problem
from poolsite.api.reading import LINE, STRICT, Moment

ITEMS_LIMIT = 1_000
BODY_LIMIT_BYTES = 1_000_000
LIVE_BODY_LIMIT_BYTES = 8_000_000  # 100 000 calls
WAIT_LIMIT_MS = 60_000


def _number(text: str) -> str:
    return number_format.parse(text)


def _callee(text: str) -> str:
    """A callee that is a number is written as one; anything else (a SIP address) stays."""
    result = number_format.normalise(text)
    return result.value if isinstance(result, number_format.Normalised) else text


NumberText = Annotated[
    str, StringConstraints(min_length=1, max_length=256), AfterValidator(_number)
]
Name64 = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=LINE)]
CallId = Annotated[str, StringConstraints(min_length=1, max_length=128, pattern=LINE)]
Text256 = Annotated[str, StringConstraints(min_length=1, max_length=256, pattern=LINE)]
Callee = Annotated[Name64, AfterValidator(_callee)]
Direction = Literal["in", "out"]
EventName = Literal["add", "del", "reg", "unreg", "call", "hangup", "renew"]
Micros = Annotated[int, Field(ge=0, le=2**53)]


class Event(BaseModel):
    """An event of a number. Only `event` is required; `call` without a number picks one."""

    model_config = STRICT

    event: EventName
    number: NumberText | None = None
    call_id: CallId | None = Field(
        None, description="Identifies one attempt and makes retries safe."
    )
    switch: Name64 | None = None
    incarnation: Name64 | None = Field(None, description="The switch's boot ID.")
    agent: Name64 | None = None
    callee: Callee | None = None
    direction: Direction | None = None
    force: bool | None = Field(None, description="`call`: use the number even if it is resting.")
    sticky: bool | None = Field(
        None, description="`call`: prefer the callee's last number, if it is free."
    )
    near: bool | None = Field(None, description="`call`: prefer a number from the callee's region.")
    paid: Name64 | None = Field(None, description="Voucher for a pool that charges for calls.")
    contact: Text256 | None = None
    expires: int | None = Field(None, ge=0, le=10 * 365 * 86_400, description="Seconds.")
    seq: int | None = Field(None, ge=0, le=2**53)
    reason: Text256 | None = None
    wait_ms: int | None = Field(
        None, ge=0, le=WAIT_LIMIT_MS, description="`call`: how long to wait for a number."
    )
    cause: Name64 | None = Field(
        None, description="`hangup`: the release cause (Q.850 or SIP) as the switch reports it."
    )
    answered: bool | None = Field(None, description="`hangup`: whether the callee answered.")
    talk_seconds: int | None = Field(
        None,
        ge=0,
        le=10 * 365 * 86_400,
        description="`hangup` of an answered call: seconds from the answer to the end.",
    )


class Answer(BaseModel):
    """The result of one event. `as_of`: server time in µs, to be sent back in a live list."""

    outcome: Literal["ok", "failed", "error"]
    number: str = ""
    state: str = Field("", description="`idle+up` … `busy+down`, `nodata`; empty: no number.")
    reason: str = ""
    lease_seconds: int | None = Field(
        None, description="`call`: renew the lease or hang up within this time."
    )
    agent: str | None = Field(None, description="Inbound call: the agent who last used the number.")
    as_of: int = 0


class EventProblem(Problem):
    """The answer to an event that was not carried out, with the fields of `Answer`."""

    outcome: Literal["failed", "error"] | None = None
    number: str | None = None
    state: str | None = None
    as_of: int | None = None


class EventItemAnswer(Answer):
    """The answer to one item of a batch, with the status and problem type of a single request."""

    status: int
    type: str | None = None
    detail: str | None = None


class LiveCall(BaseModel):
    """A current call of a switch."""

    model_config = STRICT

    call_id: CallId
    number: NumberText | None = None


class LiveList(BaseModel):
    """All current calls of a switch, listed after it received the answer `as_of`."""

    model_config = STRICT

    switch: Name64
    incarnation: Name64
    as_of: Micros = 0
    calls: list[LiveCall] = Field(max_length=100_000)


class ListedCall(BaseModel):
    """A call named in the answer to a live list. The number is empty if unknown."""

    call_id: str
    number: str


class LiveListAnswer(BaseModel):
    """The result of a live list."""

    outcome: Literal["ok"] = "ok"
    as_of: int
    renewed: int
    adopted: list[ListedCall] = Field(description="Calls that the pool adopted.")
    lease_without_call: list[ListedCall] = Field(
        description="In the pool but not in the list. Released after two lists in a row."
    )
    call_without_lease: list[ListedCall] = Field(
        description="In the list but not in the pool. Adopted after two lists in a row."
    )
    conflict: list[ListedCall] = Field(
        description="The number is in another call, or the call has another number."
    )
    released: list[ListedCall] = Field(description="Calls that this list released.")
    hang_up: list[str] = Field(description="IDs of the calls to hang up now.")


SwitchKindWord = Literal["media", "proxy"]


class SwitchIn(BaseModel):
    """A new switch. `kind`: what a restart does to its calls."""

    model_config = STRICT

    name: Name64
    kind: SwitchKindWord = Field(
        "proxy", description="media: a restart ends its calls; proxy: calls continue."
    )


class SwitchChangeIn(BaseModel):
    """The new type. It takes effect at the next restart."""

    model_config = STRICT

    kind: SwitchKindWord


class SwitchOut(BaseModel):
    """A switch of a pool."""

    name: str
    kind: SwitchKindWord
    kind_chosen: bool = Field(description="False if the type has not been set yet.")
    incarnation: str
    last_heard: str | None


class SwitchMadeOut(SwitchOut):
    """A new switch with its token, which is shown only once."""

    token: str


class WhoHadIn(BaseModel):
    """A time and at least one of number, callee, agent and call_id."""

    model_config = STRICT

    at: Moment = Field(description="The time, with its time zone.")
    number: str = Field("", max_length=256)
    callee: str = Field("", max_length=64)
    agent: str = Field("", max_length=64)
    call_id: str = Field("", max_length=128)


class HadOut(BaseModel):
    """A call in progress at the requested time."""

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
    """An event on the WebSocket. `id` is returned with the answer."""

    id: FrameId | None = None


class LiveFrame(BaseModel):
    """A live list on the WebSocket."""

    model_config = STRICT

    id: FrameId | None = None
    live: LiveList


class PingFrame(BaseModel):
    """Checks that the other end is alive, and asks for the server's time."""

    model_config = STRICT

    id: FrameId | None = None
    ping: bool
