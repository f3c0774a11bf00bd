"""The frames that peers send (docs/reference/dispatch/protocol.md), parsed and validated."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgpack
import orjson
from pydantic import BaseModel, Field, StringConstraints, TypeAdapter, ValidationError

from poolsite.api.reading import LINE, STRICT, TooDeepError, check_depth

DEPTH_LIMIT = 100  # including the body, which the other side's codec must be able to encode
FRAME_LIMIT_BYTES = 128 * 1024
BODY_LIMIT_BYTES = 64 * 1024
RESYNC_LIMIT = 1_000
PROTOCOL = 1

SUBPROTOCOL_JSON = "poolsite.dispatch.v1.json"
SUBPROTOCOL_MSGPACK = "poolsite.dispatch.v1.msgpack"

ID_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$"

PeerId = Annotated[str, StringConstraints(pattern=ID_PATTERN)]
Incarnation = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._-]{0,40}$")]
SessionId = Annotated[
    str,
    StringConstraints(
        max_length=80,
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,39}/[A-Za-z0-9][A-Za-z0-9._:@+~-]{0,38}$",
    ),
]
Text = Annotated[str, StringConstraints(max_length=100, pattern=LINE)]
Key = Annotated[str, StringConstraints(min_length=1, max_length=80, pattern=LINE)]
Version = Annotated[str, StringConstraints(min_length=1, max_length=40, pattern=LINE)]
Seq = Annotated[int, Field(ge=1, le=2**53)]
Received = Annotated[int, Field(ge=0, le=2**53)]
Profile = Literal["SIP", "BICC", "SMP", "CMPP", "HTTP"]


class MalformedFrameError(ValueError):
    """A frame that is invalid. The text says what is wrong and where, without quoting the input."""


class _Frame(BaseModel):
    model_config = STRICT


class RegisterFront(_Frame):
    """A front-end's registration. Without an `id` the dispatcher assigns one."""

    op: Literal["register"]
    profile: Profile
    id: PeerId | None = None
    incarnation: Incarnation = ""
    received: Received = 0


class RegisterBack(_Frame):
    """An instance's registration: its current ID or the offered one, and what it can serve."""

    op: Literal["register"]
    id: PeerId
    name: PeerId
    version: Version
    capacity: int = Field(ge=1, le=1_000_000)
    weight: int = Field(1, ge=1, le=32)
    incarnation: Incarnation = ""
    received: Received = 0


class Sequenced(_Frame):
    """A frame with a number. It is processed exactly once, after the frame before it."""

    seq: Seq


class _WithBody(Sequenced):
    body: Any = None

    @property
    def body_text(self) -> str:
        """The body as JSON text. Raise MalformedFrameError if it isn't JSON or is too long."""
        try:
            text = orjson.dumps(self.body)
        except (TypeError, ValueError, RecursionError):
            raise MalformedFrameError("body: not a value of JSON") from None
        if len(text) > BODY_LIMIT_BYTES:
            raise MalformedFrameError(f"body: longer than {BODY_LIMIT_BYTES} bytes of JSON")
        return text.decode()


class Start(_WithBody):
    """A front-end starts a session. Sessions with the same `key` go to the same instance.

    `confirm`: whether the front-end is notified which instance accepted the session.
    """

    op: Literal["start"]
    session: SessionId
    key: Key | None = None
    ttl_seconds: int | None = Field(None, ge=1, le=86_400)
    confirm: bool = False


class SessionMessage(_WithBody):
    """A message of a session, from one end to the other."""

    op: Literal["message"]
    session: SessionId


class End(_WithBody):
    """Either end ends the session and its route. `failed`: the instance could not serve it."""

    op: Literal["end"]
    session: SessionId
    reason: Text = ""
    failed: bool = False


class Deliver(_WithBody):
    """A message outside any session. An instance must set `to`; a front-end may omit it."""

    op: Literal["deliver"]
    to: PeerId | None = None


class Clear(Sequenced):
    """A SIP front-end reports that it restarted and has no sessions."""

    op: Literal["clear"]


class Ack(_Frame):
    """Everything up to this number has been processed and need not be sent again."""

    op: Literal["ack"]
    seq: Received


class Beat(_Frame):
    """A heartbeat."""

    op: Literal["beat"]


ResyncEntry = tuple[SessionId, PeerId | Literal[""], Annotated[float, Field(ge=0)] | None]


class Resync(_Frame):
    """Sessions that the peer has: ID, the other end's ID or "", deadline in Unix seconds."""

    op: Literal["resync"]
    sessions: list[ResyncEntry] = Field(max_length=RESYNC_LIMIT)
    last: bool


Counted = Start | SessionMessage | End | Deliver | Clear
Incoming = Counted | Ack | Beat | Resync
_FRONT = TypeAdapter(RegisterFront)
_BACK = TypeAdapter(RegisterBack)
_MODELS: dict[str, TypeAdapter[Any]] = {
    "start": TypeAdapter(Start),
    "message": TypeAdapter(SessionMessage),
    "end": TypeAdapter(End),
    "deliver": TypeAdapter(Deliver),
    "clear": TypeAdapter(Clear),
    "ack": TypeAdapter(Ack),
    "beat": TypeAdapter(Beat),
    "resync": TypeAdapter(Resync),
}


class Codec:
    """Encodes and decodes the frames of a socket: JSON text, or MessagePack in binary frames."""

    def __init__(self, *, binary: bool) -> None:
        self.binary = binary

    @property
    def subprotocol(self) -> str:
        return SUBPROTOCOL_MSGPACK if self.binary else SUBPROTOCOL_JSON

    def parse(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return the frame of an ASGI message as a mapping. Raise MalformedFrameError."""
        raw = message.get("bytes") if self.binary else message.get("text")
        if raw is None:
            raise MalformedFrameError(
                "MessagePack travels in binary frames" if self.binary else "JSON travels as text"
            )
        try:
            frame = msgpack.unpackb(raw, strict_map_key=True) if self.binary else orjson.loads(raw)
        except (ValueError, RecursionError, msgpack.UnpackException):
            kind = "MessagePack" if self.binary else "JSON"
            raise MalformedFrameError(f"not {kind}") from None
        if not isinstance(frame, dict):
            raise MalformedFrameError("a frame is an object")
        try:
            check_depth(frame, DEPTH_LIMIT)
        except TooDeepError as error:
            raise MalformedFrameError(str(error)) from None
        return frame

    def message(self, frame: dict[str, Any], body: str | None = None) -> dict[str, Any]:
        """Return the ASGI message of a frame. `body` is JSON text and is inserted unchanged."""
        if self.binary:
            whole = frame if body is None else {**frame, "body": orjson.loads(body or "null")}
            return {"type": "websocket.send", "bytes": msgpack.packb(whole)}
        whole = frame if body is None else {**frame, "body": orjson.Fragment(body or "null")}
        return {"type": "websocket.send", "text": orjson.dumps(whole).decode()}


JSON = Codec(binary=False)
MSGPACK = Codec(binary=True)


def codec_of(offered: list[str]) -> Codec | None:
    """Return the codec of the first known subprotocol, JSON if none was offered, or None."""
    for name in offered:
        if name == SUBPROTOCOL_JSON:
            return JSON
        if name == SUBPROTOCOL_MSGPACK:
            return MSGPACK
    return None if offered else JSON


def read_front(frame: dict[str, Any]) -> RegisterFront:
    """Validate a front-end's registration. Raise MalformedFrameError."""
    found: RegisterFront = _validate(_FRONT, frame)
    return found


def read_back(frame: dict[str, Any]) -> RegisterBack:
    """Validate an instance's registration. Raise MalformedFrameError."""
    found: RegisterBack = _validate(_BACK, frame)
    return found


def read(frame: dict[str, Any]) -> Incoming:
    """Validate any other frame of a registered peer. Raise MalformedFrameError."""
    model = _MODELS.get(str(frame.get("op"))[:20])
    if model is None:
        raise MalformedFrameError(f"op is one of {', '.join(_MODELS)}")
    found: Incoming = _validate(model, frame)
    return found


def _validate(model: TypeAdapter[Any], frame: dict[str, Any]) -> Any:
    if "sessions" in frame and isinstance(frame["sessions"], list):
        # Neither encoding has tuples, which strict validation requires.
        frame = frame | {"sessions": [_as_tuple(entry) for entry in frame["sessions"]]}
    try:
        return model.validate_python(frame)
    except ValidationError as error:
        raise MalformedFrameError(_told(error)) from None


def _as_tuple(entry: Any) -> Any:
    return tuple(entry) if isinstance(entry, list) else entry


def _told(error: ValidationError) -> str:
    parts = []
    for problem in error.errors(include_url=False, include_input=False, include_context=False)[:2]:
        place = ".".join(str(step) for step in problem["loc"])
        parts.append(f"{place}: {problem['msg']}" if place else problem["msg"])
    return "; ".join(parts)[:200]


def size_of(message: Mapping[str, Any]) -> int:
    """Return the size of a WebSocket message in bytes, or in characters if a text is too long."""
    text = message.get("text")
    if text is None:
        return len(message.get("bytes") or b"")
    return len(text) if len(text) > FRAME_LIMIT_BYTES else len(text.encode())
