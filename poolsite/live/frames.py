"""The frames of docs/reference/live-protocol.md. Each is encoded once and sent to many sockets."""

from typing import Any

import orjson


class Frame:
    """One encoded frame. `base` and `to` are versions. `mark` is the number of a frame that may ask
    the browser for an ack, or 0 if it may not.
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
        """The message that also asks for an ack. It is encoded only once."""
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
    """Return a frame that says that the browser has the current version."""
    return Frame(encode({"op": "current", "topic": address, "version": version}), to=version)


def stale(address: str) -> Frame:
    """Return a frame that says that the source can't be read now and the last state may be old."""
    return Frame(encode({"op": "stale", "topic": address}))


def refused(address: str, code: int) -> Frame:
    return Frame(encode({"op": "refused", "topic": address, "code": code}))


def error(reason: str) -> Frame:
    return Frame(encode({"op": "error", "reason": reason}))


def personal(kind: str, data: Any) -> str:
    """Return the text of a personal message. Scripts may publish the same text themselves."""
    return encode({"op": "personal", "kind": kind, "data": data})


HELLO = Frame(encode({"op": "hello", "protocol": 1}))
PONG = Frame(encode({"op": "pong"}))
BEAT = Frame(encode({"op": "beat"}))
