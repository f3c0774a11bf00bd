"""Events of numbers, their commands, and the results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    GetPydanticSchema,
    StringConstraints,
)

from numbers.pool import reasons
from numbers.pool.keys import keys_of
from numbers.pool.scripts import SCRIPTS
from poolsite import number_format
from poolsite.api.reading import LINE, STRICT
from poolsite.hotpath import Command

OK: Final = 1
FAILED: Final = 0
ERROR: Final = -1
BATCH_LIMIT: Final = 32  # events in one script call
WAIT_LIMIT_MS: Final = 60_000


NumberText = Annotated[
    str, StringConstraints(min_length=1, max_length=256), AfterValidator(number_format.parse)
]
Name64 = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=LINE)]
CallId = Annotated[str, StringConstraints(min_length=1, max_length=128, pattern=LINE)]
Text256 = Annotated[str, StringConstraints(min_length=1, max_length=256, pattern=LINE)]
Callee = Annotated[Name64, AfterValidator(number_format.cleaned)]
Direction = Literal["in", "out"]
EventName = Literal["add", "del", "reg", "unreg", "call", "hangup", "renew"]
EVENTS: Final[tuple[EventName, ...]] = get_args(EventName)
# A switch says whether to prefer a region; the pool's script gets the region's key.
Near = Annotated[bool | str | None, GetPydanticSchema(lambda _, schema: schema(bool | None))]


class Event(BaseModel):
    """An event of a number. Only `event` is required; `call` without a number picks one."""

    # The same class from a request to the arguments of the script. A text that is None or "" is
    # left out. For the script, `near` is the key of a region (numbers.regions.area): the callee's
    # for `call`, the number's own for `add`. `expires` None means never.
    model_config = STRICT | ConfigDict(frozen=True)

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
    near: Near = Field(None, description="`call`: prefer a number from the callee's region.")
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

    @classmethod
    def of(
        cls,
        event: str,
        number: str = "",
        call_id: str = "",
        switch: str = "",
        incarnation: str = "",
        **more: Any,
    ) -> "Event":
        """Return an event from trusted values. They are not validated."""
        given = {"number": number, "call_id": call_id, "switch": switch, "incarnation": incarnation}
        return cls.model_construct(event=event, **{**_NOT_GIVEN, **given, **more})

    def but(self, **changes: Any) -> "Event":
        """Return a copy of the event with other values. They are not validated."""
        return self.model_copy(update=changes)

    def words(self) -> tuple[str, ...]:
        """Return the event as the separate arguments of numbers/event."""
        return (self.event, self.number or "-", *self._options(*_USUAL, *_TEXTS))

    def line(self) -> str:
        """Return the event as one argument, cheaper for Redis, or "" if a text has a tab."""
        usual = [getattr(self, name) or "" for name in _USUAL]
        parts = [self.event, self.number or "-", *usual, *self._options(*_TEXTS)]
        line = "\t".join(parts)
        return line if line.count("\t") == len(parts) - 1 else ""

    def _options(self, *texts: str) -> list[str]:
        """Return names and values of these texts and of all fields that are not texts."""
        words = []
        for name in texts:
            value = getattr(self, name)
            if value and isinstance(value, str):  # `near` may still be a switch's yes
                words += [name, value]
        if self.force:
            words += ["force", "1"]
        if self.sticky is not None:
            words += ["sticky", "1" if self.sticky else "0"]
        if self.expires is not None:
            words += ["expires", str(self.expires)]
        if self.seq is not None:
            words += ["seq", str(self.seq)]
        if self.wait_ms:
            words += ["wait_ms", str(self.wait_ms)]
        if self.answered is not None:
            words += ["answered", "1" if self.answered else "0"]
        if self.talk_seconds is not None:
            words += ["talk_seconds", str(self.talk_seconds)]
        return words

    @property
    def repeatable(self) -> bool:
        """Whether a second run of the event is harmless and gets the answer of the first."""
        if self.event in ("call", "hangup"):
            return bool(self.call_id)
        return not self.paid

    @property
    def gives_back(self) -> bool:
        """Whether Redis should run the event when out of memory: it needs none, or frees some."""
        return self.event not in ("call", "add")


_USUAL = ("call_id", "switch", "incarnation", "agent", "callee")  # a line has them in this order
_TEXTS = ("direction", "near", "paid", "contact", "reason", "cause")
_NOT_GIVEN: Final[Mapping[str, Any]] = {
    **dict.fromkeys((*_USUAL, *_TEXTS), ""),
    "force": False,
    "wait_ms": 0,
}


@dataclass(frozen=True, slots=True)
class EventOutcome:
    """The reply to one event. `code`: 1 ok, 0 failed, -1 not allowed."""

    code: int
    number: str
    state: str
    reason: str
    lease_seconds: int | None = None
    last_agent: str | None = None
    place: int | None = None
    retry_ms: int | None = None
    release: bool = False  # calls of a superseded incarnation wait for pool.release

    @property
    def outcome(self) -> str:
        """The outcome's name in the public interfaces."""
        return {OK: "ok", FAILED: "failed"}.get(self.code, "error")

    @property
    def ok(self) -> bool:
        return self.code == OK

    @property
    def waiting(self) -> bool:
        return self.code == FAILED and self.reason == reasons.WAITING


def read_outcome(reply: Sequence[str]) -> EventOutcome:
    """Parse a reply of numbers/event."""
    code, number, state, reason = reply[:4]
    more = dict(zip(reply[4::2], reply[5::2], strict=True))
    return EventOutcome(
        code=int(code),
        number=number,
        state=state,
        reason=reason,
        lease_seconds=int(more["lease_seconds"]) if "lease_seconds" in more else None,
        last_agent=more.get("last_agent"),
        place=int(more["place"]) if "place" in more else None,
        retry_ms=int(more["retry_ms"]) if "retry_ms" in more else None,
        release="release" in more,
    )


def event(slug: str, event: Event) -> Command[EventOutcome]:
    """Return the command of one event. It is repeated after a lost reply only if that is safe."""
    return Command(
        script=SCRIPTS["event"],
        keys=keys_of(slug),
        args=(line,) if (line := event.line()) else event.words(),
        read=read_outcome,
        operation_id=(event.call_id or event.number or None) if event.repeatable else None,
        gives_back=event.gives_back,
    )


def events(slug: str, batch: Sequence[Event]) -> Command[list[EventOutcome]]:
    """Return one command for up to BATCH_LIMIT events of one pool, run in their order.

    Items with `wait_ms` are refused. Raise ValueError for an empty or longer batch.
    """
    if not 0 < len(batch) <= BATCH_LIMIT:
        raise ValueError(f"a batch has 1 to {BATCH_LIMIT} events, not {len(batch)}")
    words: list[str] = []
    for item in batch:
        if line := item.line():
            words.append(line)
        else:
            its = item.words()
            words += [str(len(its)), *its]

    def read(reply: list[str]) -> list[EventOutcome]:
        if reply[0] == "-1":  # the pool's own refusal: it applies to every item
            return [read_outcome(reply)] * len(batch)
        outcomes, place = [], 0
        while place < len(reply):
            count = int(reply[place])
            outcomes.append(read_outcome(reply[place + 1 : place + 1 + count]))
            place += count + 1
        return outcomes

    repeatable = all(item.repeatable for item in batch)
    return Command(
        script=SCRIPTS["events"],
        keys=keys_of(slug),
        args=tuple(words),
        read=read,
        operation_id=(batch[0].call_id or batch[0].number or None) if repeatable else None,
        gives_back=all(item.gives_back for item in batch),
    )
