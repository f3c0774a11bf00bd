"""The text of a PDF written by poolsite/paper.py, with a line for each text that it placed."""

import base64
import re
import zlib

_STREAM = re.compile(rb"stream\r?\n(.*?)\s*endstream", re.DOTALL)
_TOKEN = re.compile(rb"^q$|/(F\d+) \S+ Tf|\(((?:\\.|[^\\)])*)\) Tj", re.MULTILINE | re.DOTALL)
_LATIN = re.compile(rb"/BaseFont /Helvetica[^\n]*/Name /(F\d+)")
_ESCAPE = re.compile(rb"\\(\d{3}|.)", re.DOTALL)
_LETTERS = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}


def text_of(pdf: bytes) -> str:
    """Return all lines of all pages, in the order in which they were written."""
    latin = set(_LATIN.findall(pdf))
    return "\n".join(
        "\n".join(_lines(_plain(stream), latin)).strip() for stream in _STREAM.findall(pdf)
    )


def pages_of(pdf: bytes) -> int:
    """Return the number of pages."""
    return len(_STREAM.findall(pdf))


def _plain(stream: bytes) -> bytes:
    return zlib.decompress(base64.a85decode(b"<~" + stream.strip(), adobe=True))


def _lines(content: bytes, latin: set[bytes]) -> list[str]:
    lines, font = [""], b""
    for match in _TOKEN.finditer(content):
        if match[0] == b"q":
            lines.append("")
        elif match[1]:
            font = match[1]
        else:
            raw = _ESCAPE.sub(_unescaped, match[2])
            lines[-1] += raw.decode("cp1252" if font in latin else "utf-16-be")
    return lines


def _unescaped(match: re.Match[bytes]) -> bytes:
    said = match[1]
    return bytes([int(said, 8)]) if len(said) == 3 else _LETTERS.get(said, said)
