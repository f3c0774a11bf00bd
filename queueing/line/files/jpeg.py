"""JPEG: its segments. Of the Exif metadata, only the orientation is kept."""

import re
import struct
from typing import Final

from queueing.line.files.walking import BrokenFileError, Picture, cut, number

_SOF: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}  # size and kind of the picture
_TABLES: Final = frozenset({0xC4, 0xCC, 0xDB, 0xDD})
_ALONE: Final = frozenset({0x01, 0xD8, *range(0xD0, 0xD8)})  # have no length; not between segments
_END, _SCAN, _APP0, _APP1, _APP2, _ADOBE = 0xD9, 0xDA, 0xE0, 0xE1, 0xE2, 0xEE
_FILL: Final = re.compile(rb"\xff+")
_MARKER: Final = re.compile(rb"\xff[\x01-\xcf\xd8-\xfe]")
_TAGS_LIMIT: Final = 200
_ORIENTATION: Final = 0x0112


def clean_jpeg(data: bytes) -> Picture:
    """Return the picture without metadata such as place and time. Raises as read_file does."""
    found, place, turned, is_sized = Picture([b"\xff\xd8"]), 2, 1, False
    while True:
        found.step()
        marker, place = _marker(data, place)
        if marker == _END:
            break
        if marker in _ALONE:
            raise BrokenFileError("a marker where none may be")
        length = number(">H", data, place)
        body = cut(data, place, length)[2:]
        if marker in _SOF:
            if is_sized:
                raise BrokenFileError("two pictures in one")
            is_sized = True
            found.covers(number(">H", body, 3), number(">H", body, 1))
        if marker == _APP1 and body.startswith(b"Exif\0\0"):
            turned = _orientation(body[6:])
        if _is_kept(marker, body):
            found.parts.append(struct.pack(">BBH", 0xFF, marker, length) + body)
        place += length
        if marker == _SCAN:
            end = _scan_end(data, place)
            found.parts.append(data[place:end])
            found.count_frame()
            place = end
    found.parts.append(b"\xff\xd9")
    if turned > 1:
        _turn(found, turned)
    return found


def _is_kept(marker: int, body: bytes) -> bool:
    if marker in _SOF or marker in _TABLES or marker in (_SCAN, _ADOBE):
        return True
    if marker == _APP0:
        return body.startswith(b"JFIF\0")
    return marker == _APP2 and body.startswith(b"ICC_PROFILE\0")


def _marker(data: bytes, place: int) -> tuple[int, int]:
    """Return the marker at `place`, after any number of fill bytes, and the position after it."""
    filled = _FILL.match(data, place)
    if filled is None:
        raise BrokenFileError("no marker where one must be")
    return number("B", data, filled.end()), filled.end() + 1


def _scan_end(data: bytes, place: int) -> int:
    """Return the end of the coded pixels: the next marker except restarts and stuffed zeros."""
    found = _MARKER.search(data, place)
    if found is None:
        raise BrokenFileError("it ends within the picture")
    return found.start()


def _orientation(tiff: bytes) -> int:
    """Return the orientation from the Exif metadata, 1 to 8; 1 if it has none."""
    order = {b"II": "<", b"MM": ">"}.get(tiff[:2])
    if order is None:
        return 1
    try:
        start = number(f"{order}I", tiff, 4)
        for place in range(min(number(f"{order}H", tiff, start), _TAGS_LIMIT)):
            tag, kind, _, value = struct.unpack_from(f"{order}HHIH", tiff, start + 2 + 12 * place)
            if tag == _ORIENTATION and kind == 3 and 1 <= value <= 8:
                return int(value)
    except (struct.error, BrokenFileError):
        return 1
    return 1


def _turn(found: Picture, turned: int) -> None:
    """Insert a segment with the orientation only, as a camera would write it."""
    entry = struct.pack(">HHIHH", _ORIENTATION, 3, 1, turned, 0)
    body = b"Exif\0\0MM\0\x2a\0\0\0\x08\0\x01" + entry + b"\0\0\0\0"
    segment = struct.pack(">BBH", 0xFF, _APP1, len(body) + 2) + body
    has_jfif = found.parts[1][:2] == bytes((0xFF, _APP0))
    found.parts.insert(2 if has_jfif else 1, segment)
    if turned >= 5:
        found.width, found.height = found.height, found.width
