"""Frames on the wire: JSON text, or MessagePack in binary frames."""

import json
from typing import Any, Protocol

Frame = dict[str, Any]


class Codec(Protocol):
    """How frames are written."""

    subprotocol: str

    def encode(self, frame: Frame) -> str | bytes:
        """The frame as it travels."""

    def decode(self, data: str | bytes) -> Frame:
        """The frame that came. Raises ValueError when it is none."""


class JsonCodec:
    """Text frames."""

    subprotocol = "poolsite.dispatch.v1.json"

    def encode(self, frame: Frame) -> str | bytes:
        return json.dumps(frame, separators=(",", ":"), ensure_ascii=False, allow_nan=False)

    def decode(self, data: str | bytes) -> Frame:
        return _mapping(json.loads(data))


class MessagePackCodec:
    """Binary frames; needs the package msgpack."""

    subprotocol = "poolsite.dispatch.v1.msgpack"

    def __init__(self) -> None:
        import msgpack  # here: the package is optional

        self._pack: Any = msgpack.packb
        self._unpack: Any = msgpack.unpackb

    def encode(self, frame: Frame) -> str | bytes:
        packed: bytes = self._pack(frame)
        return packed

    def decode(self, data: str | bytes) -> Frame:
        return _mapping(self._unpack(data))


def codec(*, binary: bool) -> Codec:
    """The codec of a setting."""
    return MessagePackCodec() if binary else JsonCodec()


def _mapping(value: Any) -> Frame:
    if not isinstance(value, dict) or not isinstance(value.get("op"), str):
        raise ValueError("a frame is an object with an op")
    return value
