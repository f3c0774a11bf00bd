"""The parts of a workbook, each read as a stream of XML with limits.

Parts are found by the relationships between them, so their names do not matter.
"""

import posixpath
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from os import SEEK_END
from typing import Any, BinaryIO, Final
from xml.parsers import expat

from poolsite.table_reader.limits import (
    EXPANDED_BYTES_ALWAYS,
    EXPANSION_LIMIT,
    PART_BYTES_LIMIT,
    PARTS_LIMIT,
    TAG_BYTES_LIMIT,
    Budget,
    UnreadableFileError,
)

BLOCK_BYTES: Final = 64 * 1024
_METHODS: Final = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}  # no others are in the format
_SHEET_NAMESPACES: Final = (
    "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
    "http://purl.oclc.org/ooxml/spreadsheetml/main",
)
_LINKS: Final = "http://schemas.openxmlformats.org/package/2006/relationships Relationship"
_LINK_IDS: Final = (
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships id",
    "http://purl.oclc.org/ooxml/officeDocument/relationships id",
)


def tags(*names: str) -> dict[str, str]:
    """Return full tag → short name, for the tags of sheets, shared texts and styles."""
    return {f"{space} {name}": name for space in _SHEET_NAMESPACES for name in names}


_BOOK: Final = tags("sheet", "workbookPr")


def damaged() -> UnreadableFileError:
    """Return the error of a file that is no workbook."""
    return UnreadableFileError("The file is not a readable XLSX workbook.")


class Handler:
    """Handles the tags and texts of a part. Names are `namespace name`."""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Begin an element."""

    def end(self, name: str) -> None:
        """End an element."""

    def text(self, data: str) -> None:
        """Add a piece of text."""

    done = False  # true: the rest of the part is not read


class Package:
    """An open workbook file."""

    def __init__(self, file: BinaryIO, budget: Budget) -> None:
        """Read the directory. Raise UnreadableFileError or any error of zipfile."""
        self._budget = budget
        self._left = EXPANDED_BYTES_ALWAYS + EXPANSION_LIMIT * file.seek(0, SEEK_END)
        self._zip = zipfile.ZipFile(file)
        parts = self._zip.infolist()
        if len(parts) > PARTS_LIMIT:
            raise UnreadableFileError("The workbook has too many parts.")
        self._parts = {_plain(part.filename): part for part in parts}

    def workbook(self) -> "Workbook":
        """Find the first sheet, and what is needed to read it."""
        path = next(
            (link.target for link in self._links("") if link.kind == "officeDocument"), None
        )
        if path is None:
            raise damaged()
        book = _Book()
        for _ in self.blocks(path, book, PART_BYTES_LIMIT):
            pass
        links = self._links(path)
        sheets = {link.id: link.target for link in links if link.kind == "worksheet"}
        sheet = next((sheets[id_] for id_ in book.sheets if id_ in sheets), None)
        if sheet is None:
            raise UnreadableFileError("The workbook has no sheet.")
        others = {link.kind: link.target for link in links}
        return Workbook(sheet, others.get("sharedStrings"), others.get("styles"), book.from_1904)

    def blocks(self, path: str, handler: Handler, limit: int) -> Iterator[None]:
        """Send a part to the handler; yield after every block. `limit`: of its expanded bytes."""
        part = self._parts.get(_plain(path))
        if part is None or part.compress_type not in _METHODS:
            raise damaged()
        if part.file_size > min(limit, self._left):
            raise _too_much(part.filename)
        parser = _parser(handler)
        size = 0
        with self._zip.open(part) as stream:
            while not handler.done and (block := stream.read(BLOCK_BYTES)):
                size += len(block)
                self._left -= len(block)
                if size > limit or self._left < 0:
                    raise _too_much(part.filename)
                parser.Parse(block, False)
                if size - parser.CurrentByteIndex > TAG_BYTES_LIMIT + BLOCK_BYTES:
                    raise UnreadableFileError("The workbook has a tag that is too long.")
                self._budget.check()
                yield
        if not handler.done:
            parser.Parse(b"", True)
        yield

    def _links(self, source: str) -> list["_Link"]:
        folder, name = posixpath.split(source)
        path = posixpath.join(folder, "_rels", f"{name}.rels")
        if _plain(path) not in self._parts:
            return []
        found = _Links(folder)
        for _ in self.blocks(path, found, PART_BYTES_LIMIT):
            pass
        return found.links


@dataclass(frozen=True, slots=True)
class Workbook:
    """Paths of the parts that matter, and the first year of the day count."""

    sheet: str
    strings: str | None
    styles: str | None
    from_1904: bool


def _too_much(name: str) -> UnreadableFileError:
    """Return the error of a part that expands beyond its limit."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in name[-80:])
    return UnreadableFileError(f"The workbook unpacks to too much ({shown}).")


def _plain(path: str) -> str:
    """Return a part's path in one form; programs differ in case, slashes and a leading slash."""
    return posixpath.normpath("/" + path.replace("\\", "/")).lower().lstrip("/")


def _parser(handler: Handler) -> expat.XMLParserType:
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = handler.start
    parser.EndElementHandler = handler.end
    parser.CharacterDataHandler = handler.text
    parser.StartDoctypeDeclHandler = _refuse  # no workbook has one, and entities need one
    return parser


def _refuse(*_: Any) -> None:
    raise damaged()


class _Book(Handler):
    """The sheets of a workbook, by the IDs of their relationships."""

    def __init__(self) -> None:
        self.sheets: list[str] = []
        self.from_1904 = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        kind = _BOOK.get(name)
        if kind == "sheet" and len(self.sheets) < PARTS_LIMIT:
            self.sheets += [attributes[key] for key in _LINK_IDS if key in attributes]
        elif kind == "workbookPr":
            self.from_1904 = attributes.get("date1904") in ("1", "true")


@dataclass(frozen=True, slots=True)
class _Link:
    id: str
    kind: str
    target: str


@dataclass
class _Links(Handler):
    """The relationships of a part in `folder`."""

    folder: str
    links: list[_Link] = field(default_factory=list)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name != _LINKS or attributes.get("TargetMode") == "External":
            return
        if len(self.links) >= PARTS_LIMIT:
            raise UnreadableFileError("The workbook has too many parts.")
        target = posixpath.join(self.folder, attributes.get("Target", "").replace("\\", "/"))
        kind = attributes.get("Type", "").rpartition("/")[2]
        self.links.append(_Link(attributes.get("Id", ""), kind, target))
