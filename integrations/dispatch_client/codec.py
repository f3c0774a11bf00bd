"""The encoding of frames: JSON in text frames, or MessagePack in binary frames."""

import json
from typing import Any, Protocol

Frame = dict[str, Any]


class Codec(Protocol):
    """An encoding of frames."""

    subprotocol: str

    def encode(self, frame: Frame) -> str | bytes:
        """Encode a frame for sending."""

    def decode(self, data: str | bytes) -> Frame:
        """Decode a received frame. Raise ValueError if it is not a frame."""


class JsonCodec:
    """JSON in text frames."""

    subprotocol = "poolsite.dispatch.v1.json"

    def encode(self, frame: Frame) -> str | bytes:
        return json.dumps(frame, separators=(",", ":"), ensure_ascii=False, allow_nan=False)

    def decode(self, data: str | bytes) -> Frame:
        return _mapping(json.loads(data))


class MessagePackCodec:
    """MessagePack in binary frames. It needs the package msgpack."""

    subprotocol = "poolsite.dispatch.v1.msgpack"

    def __init__(self) -> None:
        import msgpack  # imported here because the package is optional

        self._pack: Any = msgpack.packb
        self._unpack: Any = msgpack.unpackb

    def encode(self, frame: Frame) -> str | bytes:
        packed: bytes = self._pack(frame)
        return packed

    def decode(self, data: str | bytes) -> Frame:
        return _mapping(self._unpack(data))


def codec(*, binary: bool) -> Codec:
    """Return the codec for the setting `binary`."""
    return MessagePackCodec() if binary else JsonCodec()


def _mapping(value: Any) -> Frame:
    if not isinstance(value, dict) or not isinstance(value.get("op"), str):
        raise ValueError("a frame is an object with an op")
    return value
