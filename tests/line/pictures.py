"""Small files of every kind that rooms accept, and some that only look like one."""

import base64
import struct
import zlib

PDF = b"%PDF-1.4\n1 0 obj <</Type /Catalog>> endobj\ntrailer <</Root 1 0 R>>\n%%EOF\n"
GIF = base64.b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")
WEBP = base64.b64decode("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA")
SECRET = b"48.137 N 11.575 E"  # where a picture was taken
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'
HTML = b"<!doctype html><script>alert(1)</script>"


def chunk(kind: bytes, body: bytes) -> bytes:
    """Return one chunk of a PNG, with its checksum."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(width: int = 4, height: int = 3, *more: bytes, colour: int = 0x3366CC) -> bytes:
    """Return a picture of one colour; `more` chunks come before its pixels."""
    row = b"\0" + colour.to_bytes(3, "big") * width
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(row * height))
    return b"\x89PNG\r\n\x1a\n" + head + b"".join(more) + pixels + chunk(b"IEND", b"")


def huge_png(side: int) -> bytes:
    """Return a few bytes that claim to be a huge picture."""
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(bytes(100)))
    return b"\x89PNG\r\n\x1a\n" + head + pixels + chunk(b"IEND", b"")


def segment(marker: int, body: bytes) -> bytes:
    """Return one segment of a JPEG."""
    return struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body


def exif(orientation: int) -> bytes:
    """Return a camera's metadata: how it was held, and where."""
    entry = struct.pack("<HHIHH", 0x0112, 3, 1, orientation, 0)
    return b"Exif\0\0II\x2a\0\x08\0\0\0\x01\0" + entry + b"\0\0\0\0" + SECRET


def jpeg(*more: bytes, width: int = 16, height: int = 8) -> bytes:
    """Return a picture's segments in order; `more` come before its tables."""
    size = struct.pack(">BHHBBBB", 8, height, width, 1, 1, 0x11, 0)
    return b"".join(
        (
            b"\xff\xd8",
            segment(0xE0, b"JFIF\0\1\1\0\0\1\0\1\0\0"),
            *more,
            segment(0xDB, b"\0" + b"\x10" * 64),
            segment(0xC0, size),
            segment(0xC4, b"\0" + b"\0\1" + b"\0" * 14 + b"\0"),
            segment(0xC4, b"\x10" + b"\0\1" + b"\0" * 14 + b"\0"),
            segment(0xDA, b"\1\1\0\0\x3f\0"),
            b"\x2b\xff\0\xff\xd0\x2b",
            b"\xff\xd9",
        )
    )


def webp_chunk(kind: bytes, body: bytes) -> bytes:
    """Return one chunk of a WebP."""
    return kind + struct.pack("<I", len(body)) + body + b"\0" * (len(body) % 2)


def webp_with_notes() -> bytes:
    """Return the small WebP in the extended form, with a camera's metadata and a text."""
    parts = webp_chunk(b"VP8X", b"\x0c\0\0\0" + b"\0" * 6) + WEBP[12:]
    parts += webp_chunk(b"EXIF", SECRET) + webp_chunk(b"XMP ", SECRET)
    return b"RIFF" + struct.pack("<I", len(parts) + 4) + b"WEBP" + parts


def gif_with_comment() -> bytes:
    """Return the small GIF with a comment, and a page after its end."""
    head, rest = GIF[:19], GIF[19:]
    return head + b"\x21\xfe" + bytes((len(SECRET),)) + SECRET + b"\0" + rest + HTML
