"""PNG, GIF and WebP: their chunks. Data that is not part of the picture is left out."""

import struct
import zlib
from typing import Final

from queueing.line.files.walking import BrokenFileError, Picture, cut, number

PNG_SIGN: Final = b"\x89PNG\r\n\x1a\n"
_PNG_KEPT: Final = frozenset(
    (
        *(b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"iCCP"),
        *(b"sBIT", b"bKGD", b"pHYs", b"acTL", b"fcTL", b"fdAT", b"cICP"),
    )
)
_GIF_LOOPS: Final = (b"NETSCAPE2.0", b"ANIMEXTS1.0")
_WEBP_KEPT: Final = frozenset((b"VP8X", b"VP8 ", b"VP8L", b"ALPH", b"ANIM", b"ANMF", b"ICCP"))
_WEBP_NOTES: Final = 0x0C  # the flag bits for Exif and XMP metadata


def clean_png(data: bytes) -> Picture:
    """Return the picture without texts, times and Exif metadata. Raises as read_file does."""
    found, place, kind = Picture([PNG_SIGN]), len(PNG_SIGN), b""
    while kind != b"IEND":
        found.step()
        length = number(">I", data, place)
        chunk = cut(data, place, length + 12)
        is_first, kind, body = not kind, chunk[4:8], chunk[8:-4]
        if zlib.crc32(chunk[4:-4]) != number(">I", chunk, length + 8):
            raise BrokenFileError("a checksum is wrong")
        if is_first != (kind == b"IHDR"):
            raise BrokenFileError("no size at the beginning")
        if kind == b"IHDR":
            found.covers(number(">I", body, 0), number(">I", body, 4))
        if kind == b"fcTL" or (kind == b"IDAT" and not found.frames):
            found.count_frame()
        if kind in _PNG_KEPT:
            found.parts.append(chunk)
        place += len(chunk)
    return found


def clean_gif(data: bytes) -> Picture:
    """Return the frames and the animation control, without comments. Raises as read_file does."""
    found = Picture()
    found.covers(number("<H", data, 6), number("<H", data, 8))
    place = 13 + _colours(number("B", data, 10))
    found.parts.append(cut(data, 0, place))
    while True:
        found.step()
        start, sign = place, number("B", data, place)
        if sign == 0x3B:
            break
        if sign == 0x2C:
            found.covers(number("<H", data, place + 5), number("<H", data, place + 7))
            found.count_frame()
            place = _blocks_end(data, place + 11 + _colours(number("B", data, place + 9)))
        elif sign == 0x21:
            place = _blocks_end(data, place + 2)
        else:
            raise BrokenFileError("no block where one must be")
        if sign == 0x2C or _drives_animation(data, start):
            found.parts.append(data[start:place])
    found.parts.append(b"\x3b")
    return found


def _colours(flags: int) -> int:
    """Return the size of a color table in bytes."""
    return 3 * 2 ** ((flags & 7) + 1) if flags & 0x80 else 0


def _blocks_end(data: bytes, place: int) -> int:
    try:
        while length := data[place]:
            place += length + 1
    except IndexError:
        raise BrokenFileError("it ends too early") from None
    return place + 1


def _drives_animation(data: bytes, start: int) -> bool:
    label = number("B", data, start + 1)
    return label == 0xF9 or (label == 0xFF and data[start + 3 : start + 14] in _GIF_LOOPS)


def clean_webp(data: bytes) -> Picture:
    """Return the picture without Exif and XMP metadata. Raises as read_file does."""
    found, end = Picture(), 8 + number("<I", data, 4)
    data, place = cut(data, 0, end), 12
    while place + 8 <= end:
        found.step()
        kind, length = data[place : place + 4], number("<I", data, place + 4)
        body = cut(data, place + 8, length)
        if kind in (b"VP8 ", b"VP8L", b"VP8X", b"ANMF"):
            found.covers(*_webp_size(kind, body))
        if kind in (b"VP8 ", b"VP8L", b"ANMF"):
            found.count_frame()
        if kind == b"VP8X":
            body = bytes((body[0] & ~_WEBP_NOTES,)) + body[1:]
        if kind in _WEBP_KEPT:
            found.parts.append(kind + struct.pack("<I", length) + body + b"\0" * (length % 2))
        place += 8 + length + length % 2
    size = 4 + sum(map(len, found.parts))
    found.parts.insert(0, b"RIFF" + struct.pack("<I", size) + b"WEBP")
    return found


def _webp_size(kind: bytes, body: bytes) -> tuple[int, int]:
    if kind == b"VP8L":
        bits = number("<I", body, 1)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 ":
        if cut(body, 3, 3) != b"\x9d\x01\x2a":
            raise BrokenFileError("no picture where one must be")
        return number("<H", body, 6) & 0x3FFF, number("<H", body, 8) & 0x3FFF
    start = 4 if kind == b"VP8X" else 6
    wide, high = cut(body, start, 3), cut(body, start + 3, 3)
    return int.from_bytes(wide, "little") + 1, int.from_bytes(high, "little") + 1
