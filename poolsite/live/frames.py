"""The frames of docs/reference/live-protocol.md, each encoded once and sent to many sockets."""

from typing import Any

import orjson


class Frame:
    """One encoded frame. `base` and `to` are versions; `mark`: the number of a frame that may ask
    the browser for an ack, 0 = it may not.
    """

    __slots__ = ("_asking", "base", "mark", "message", "to")

    def __init__(self, text: str, *, base: int = 0, to: int = 0, mark: int = 0) -> None:
        self.message = {"type": "websocket.send", "text": text}
        self._asking: dict[str, str] | None = None
        self.base = base
        self.to = to
        self.mark = mark

    @property
    def text(self) -> str:
        return self.message["text"]

    @property
    def asking(self) -> dict[str, str]:
        """The message with the question for an ack; as often as it is sent, it is written once."""
        if self._asking is None:
            text = f'{self.text[:-1]},"ack":{self.mark}}}'
            self._asking = {"type": "websocket.send", "text": text}
        return self._asking


def encode(frame: dict[str, Any]) -> str:
    """Return a frame as JSON text."""
    return orjson.dumps(frame, option=orjson.OPT_NON_STR_KEYS).decode()


def snapshot(address: str, version: int, data: Any) -> Frame:
    body = {"op": "snapshot", "topic": address, "version": version, "data": data}
    return Frame(encode(body), to=version)


def change(address: str, base: int, to: int, data: Any, *, mark: int = 0) -> Frame:
    body = {"op": "change", "topic": address, "from": base, "to": to, "data": data}
    return Frame(encode(body), base=base, to=to, mark=mark)


def current(address: str, version: int) -> Frame:
    """Say that the version which the browser holds is the current one."""
    return Frame(encode({"op": "current", "topic": address, "version": version}), to=version)


def stale(address: str) -> Frame:
    """Say that the source cannot be read now; what was sent is the last known state."""
    return Frame(encode({"op": "stale", "topic": address}))


def refused(address: str, code: int) -> Frame:
    return Frame(encode({"op": "refused", "topic": address, "code": code}))


def error(reason: str) -> Frame:
    return Frame(encode({"op": "error", "reason": reason}))


def personal(kind: str, data: Any) -> str:
    """Return the text of a personal message; scripts may publish the same text themselves."""
    return encode({"op": "personal", "kind": kind, "data": data})


HELLO = Frame(encode({"op": "hello", "protocol": 1}))
PONG = Frame(encode({"op": "pong"}))
BEAT = Frame(encode({"op": "beat"}))
