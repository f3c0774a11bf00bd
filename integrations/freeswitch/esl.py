"""The framing of FreeSWITCH's Event Socket, without I/O: bytes in, frames out.

A frame is a block of `Name: value` lines, an empty line, and as many bytes as its Content-Length
states. An event is a frame whose body contains the event's own headers, as JSON or as plain lines.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

HEADERS_LIMIT_BYTES = 64 * 1024
BODY_LIMIT_BYTES = 64 * 1024 * 1024  # a list of 50,000 channels takes about 50 MB
EVENT_PLAIN = "text/event-plain"
EVENT_JSON = "text/event-json"

_END = re.compile(rb"\r?\n\r?\n")
_LENGTH = re.compile(r"[0-9]{1,10}")


class ProtocolError(Exception):
    """The received data is not the Event Socket's protocol.

    The connection can't be used any more.
    """


@dataclass(frozen=True, slots=True)
class Frame:
    """A message from FreeSWITCH. A name that occurs twice keeps its first value."""

    headers: Mapping[str, str]
    body: bytes = b""

    @property
    def content_type(self) -> str:
        return self.headers.get("Content-Type", "")

    @property
    def text(self) -> str:
        """The body as text. Bytes that are not UTF-8 become replacement characters."""
        return self.body.decode("utf-8", "replace")


class Framer:
    """Cuts a stream of bytes into frames, regardless of how the network has split it."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._headers: dict[str, str] | None = None
        self._body_bytes = 0
        self._searched = 0

    @property
    def is_between_frames(self) -> bool:
        """Whether the stream can end here without cutting a frame in two."""
        return self._headers is None and not self._buffer.strip(b"\r\n")

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Yield the frames that these bytes complete. Raise ProtocolError if they are malformed."""
        self._buffer += data
        while (frame := self._next()) is not None:
            yield frame

    def _next(self) -> Frame | None:
        if self._headers is None and not self._take_headers():
            return None
        if len(self._buffer) < self._body_bytes:
            return None
        headers, self._headers = self._headers or {}, None
        body = bytes(self._buffer[: self._body_bytes])
        del self._buffer[: self._body_bytes]
        return Frame(headers, body)

    def _take_headers(self) -> bool:
        """Read the block of headers at the buffer's start. Return whether it was complete."""
        while self._buffer.startswith((b"\n", b"\r")):  # some bodies end with an extra line break
            del self._buffer[:1]
        end = _END.search(self._buffer, max(0, self._searched - 3))
        if (end.start() if end else len(self._buffer)) > HEADERS_LIMIT_BYTES:
            raise ProtocolError("headers over 64 kB")
        if end is None:
            self._searched = len(self._buffer)
            return False
        headers = headers_of(self._buffer[: end.start()].decode("utf-8", "replace"))
        self._body_bytes = _length(headers.get("Content-Length", "0"))
        del self._buffer[: end.end()]
        self._headers, self._searched = headers, 0
        return True


def _length(text: str) -> int:
    if not _LENGTH.fullmatch(text):
        raise ProtocolError(f"Content-Length: {text[:40]!r}")
    if int(text) > BODY_LIMIT_BYTES:
        raise ProtocolError(f"a body of {text} bytes")
    return int(text)


def headers_of(block: str) -> dict[str, str]:
    """Return the headers of a frame unchanged. Raise ProtocolError if a line is not a header."""
    headers: dict[str, str] = {}
    for line in re.split(r"\r?\n", block):
        if not line:
            continue
        name, colon, value = line.partition(":")
        if not colon or not name.strip():
            raise ProtocolError(f"not a header: {line[:80]!r}")
        headers.setdefault(name.strip(), value.strip())
    return headers


def event_of(frame: Frame) -> dict[str, str] | None:
    """Return the headers of the event that a frame contains, or None if it contains no event.

    Raise ProtocolError if the body is not an event.
    """
    if frame.content_type == EVENT_JSON:
        return _json_event(frame)
    if frame.content_type == EVENT_PLAIN:
        block = re.split(r"\r?\n\r?\n", frame.text, maxsplit=1)[0]
        return {name: unquote(value) for name, value in headers_of(block).items()}
    return None


def _json_event(frame: Frame) -> dict[str, str]:
    try:
        read = json.loads(frame.text)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"an event that is not JSON: {error}") from None
    if not isinstance(read, dict):
        raise ProtocolError("an event that is not a JSON object")
    return {name: value for name, value in read.items() if isinstance(value, str)}
