"""Requests, answers and frames of the pool's public interfaces, with one definition for all."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field, StringConstraints

from numbers.pool import Event
from numbers.pool.transitions import CallId, Name64, NumberText
from poolsite.api.problems import Problem
from poolsite.api.reading import STRICT, Moment

ITEMS_LIMIT = 1_000
BODY_LIMIT_BYTES = 1_000_000
LIVE_BODY_LIMIT_BYTES = 8_000_000  # 100 000 calls


Micros = Annotated[int, Field(ge=0, le=2**53)]


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
