"""Workbooks as an attacker writes them: any part, any size, any lie in the ZIP's directory."""

import random
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LINKS = "http://schemas.openxmlformats.org/package/2006/relationships"
KINDS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
CONTENT = "application/vnd.openxmlformats-officedocument.spreadsheetml"
MEBIBYTE = 1024 * 1024

SHEET = "xl/worksheets/sheet1.xml"
STRINGS = "xl/sharedStrings.xml"
STYLES = "xl/styles.xml"
BOOK = "xl/workbook.xml"
BOOK_LINKS = "xl/_rels/workbook.xml.rels"
ONE_ROW = '<row r="1"><c r="A1" t="s"><v>0</v></c></row>'


@dataclass(frozen=True)
class Part:
    """A part in the ZIP: `packed` bytes that expand to `size`, or claim to."""

    packed: bytes
    size: int
    crc: int = 0
    method: int = 8
    flags: int = 0


def part(content: str | bytes, method: int = 8) -> Part:
    """Return a part with correct entries."""
    data = content.encode() if isinstance(content, str) else content
    packer = zlib.compressobj(9, wbits=-15)
    packed = packer.compress(data) + packer.flush() if method else data
    return Part(packed, len(data), zlib.crc32(data), method)


def repeated(head: str, block: str, size: int, tail: str = "", *, is_read: bool = False) -> Part:
    """Return a part of `size` bytes or a little more, repeating `block` without expanding it.

    `is_read`: the part is read to its end, so its checksum has to be correct.
    """
    piece = (block * (MEBIBYTE // len(block.encode()) + 1)).encode()
    times = size // len(piece) + 1
    packer = zlib.compressobj(9, wbits=-15)
    start = packer.compress(head.encode()) + packer.flush(zlib.Z_FULL_FLUSH)
    packed = packer.compress(piece) + packer.flush(zlib.Z_FULL_FLUSH)
    end = packer.compress(tail.encode()) + packer.flush()
    crc = zlib.crc32(head.encode())
    for _ in range(times if is_read else 0):
        crc = zlib.crc32(piece, crc)
    whole = len(head.encode()) + times * len(piece) + len(tail.encode())
    return Part(start + packed * times + end, whole, zlib.crc32(tail.encode(), crc))


def padding(size: int) -> Part:
    """Return bytes that can't be compressed, like a picture in the workbook.

    The file becomes that large.
    """
    data = random.Random(1).randbytes(size)
    return Part(data, size, zlib.crc32(data), method=0)


def zip_of(parts: Mapping[str, Part]) -> bytes:
    """Return a ZIP file of these parts. Sizes that need it are in ZIP64 form."""
    body, directory = bytearray(), bytearray()
    for name, found in parts.items():
        name_bytes = name.encode()
        large = found.size >= 0xFFFFFFFF
        sizes = (found.crc, len(found.packed), 0xFFFFFFFF if large else found.size)
        extra = struct.pack("<HHQ", 1, 8, found.size) if large else b""
        common = (20, found.flags | 0x800, found.method, 0, 0, *sizes, len(name_bytes), len(extra))
        directory += struct.pack("<4sH5H3L5H2L", b"PK\1\2", 20, *common, 0, 0, 0, 0, len(body))
        directory += name_bytes + extra
        body += struct.pack("<4s5H3L2H", b"PK\3\4", *common) + name_bytes + extra + found.packed
    count = len(parts) & 0xFFFF
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, len(directory), len(body), 0)
    return bytes(body + directory) + end


def worksheet(rows: str, before: str = "", after: str = "", doctype: str = "") -> str:
    """Return a sheet's XML."""
    data = f"{before}<sheetData>{rows}</sheetData>{after}"
    return f'<?xml version="1.0"?>{doctype}<worksheet xmlns="{MAIN}">{data}</worksheet>'


def strings(*texts: str) -> str:
    """Return the XML of shared texts."""
    items = "".join(f"<si><t>{text}</t></si>" for text in texts)
    return f'<sst xmlns="{MAIN}">{items}</sst>'


def parts_of(**names: str) -> dict[str, str]:
    """Return the XML of the smallest workbook: one row with one shared text, 13800000001.

    `sheet`, `strings`, `styles`: the names of these parts in the relationships.
    """
    targets = {
        "worksheet": names.get("sheet", "worksheets/sheet1.xml"),
        "sharedStrings": names.get("strings", "sharedStrings.xml"),
        "styles": names.get("styles", "styles.xml"),
    }
    links = "".join(
        f'<Relationship Id="r{place}" Type="{KINDS}/{kind}" Target="{target}"/>'
        for place, (kind, target) in enumerate(targets.items())
    )
    root = f'<Relationship Id="r1" Type="{KINDS}/officeDocument" Target="xl/workbook.xml"/>'
    main = f'<Override PartName="/xl/workbook.xml" ContentType="{CONTENT}.sheet.main+xml"/>'
    types = f'{main}<Override PartName="/{STRINGS}" ContentType="{CONTENT}.sharedStrings+xml"/>'
    return {
        "[Content_Types].xml": f'<Types xmlns="{TYPES}">{types}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{LINKS}">{root}</Relationships>',
        BOOK_LINKS: f'<Relationships xmlns="{LINKS}">{links}</Relationships>',
        BOOK: book('<sheet name="S" sheetId="1" r:id="r0"/>'),
        SHEET: worksheet(ONE_ROW),
        STRINGS: strings("13800000001"),
        STYLES: f'<styleSheet xmlns="{MAIN}"><cellXfs><xf numFmtId="0"/></cellXfs></styleSheet>',
    }


def book(sheets: str, before: str = "") -> str:
    """Return a workbook's XML."""
    return (
        f'<workbook xmlns="{MAIN}" xmlns:r="{KINDS}">{before}<sheets>{sheets}</sheets></workbook>'
    )


def workbook(
    changes: Mapping[str, Part | str | None] | None = None, pad: int = 0, **names: str
) -> bytes:
    """Return the smallest workbook with changed parts. `pad`: bytes of a picture to add."""
    found: dict[str, Part] = {name: part(text) for name, text in parts_of(**names).items()}
    for name, change in (changes or {}).items():
        if change is None:
            del found[name]
        else:
            found[name] = part(change) if isinstance(change, str) else change
    if pad:
        found["xl/media/image1.png"] = padding(pad)
    return zip_of(found)


def saved(folder: Path, content: bytes, name: str = "file.xlsx") -> Path:
    """Write the file to disk and return its path."""
    path = folder / name
    path.write_bytes(content)
    return path
