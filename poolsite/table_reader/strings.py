"""The texts that the cells of a workbook share."""

from array import array
from typing import Final

from poolsite.table_reader.limits import CELL_CHARACTERS_LIMIT, STRINGS_BYTES_LIMIT, Budget
from poolsite.table_reader.package import Handler, Package, damaged, tags

_TAGS: Final = tags("si", "t", "rPh")


class SharedStrings(Handler):
    """All texts in one block of memory: a million of them take 20 MB instead of 70."""

    def __init__(self, budget: Budget) -> None:
        """Start without texts."""
        self._budget = budget
        self._bytes = bytearray()
        self._ends = array("I", [0])
        self._pieces: list[str] = []
        self._length = 0
        self._taking = False
        self._phonetic = False  # the reading of an East Asian text is not part of it

    def read(self, package: Package, path: str) -> None:
        """Add the texts of a part."""
        for _ in package.blocks(path, self, STRINGS_BYTES_LIMIT):
            pass

    def __getitem__(self, index: int) -> str:
        """Return a text. Raise UnreadableFileError if there is none."""
        if not 0 <= index < len(self._ends) - 1:
            raise damaged()
        return self._bytes[self._ends[index] : self._ends[index + 1]].decode()

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Begin a text, or one of its pieces."""
        tag = _TAGS.get(name)
        if tag == "t":
            self._taking = not self._phonetic
        elif tag == "si":
            self._pieces.clear()
            self._length = 0
        elif tag == "rPh":
            self._phonetic = True

    def end(self, name: str) -> None:
        """Store a complete text."""
        tag = _TAGS.get(name)
        if tag == "t":
            self._taking = False
        elif tag == "si":
            text = "".join(self._pieces).replace("x005F_", "")
            self._bytes += text[:CELL_CHARACTERS_LIMIT].encode()
            self._ends.append(len(self._bytes))
            self._budget.texts += bool(text)  # empty ones are no progress
        elif tag == "rPh":
            self._phonetic = False

    def text(self, data: str) -> None:
        """Add as much of the text as a cell may have."""
        if self._taking and self._length < CELL_CHARACTERS_LIMIT:
            self._pieces.append(data[:CELL_CHARACTERS_LIMIT])
            self._length += len(data)
