"""What a file may cost at most, and the errors beyond that."""

from collections.abc import Callable
from math import ceil, inf
from time import process_time
from typing import Final

ROWS_LIMIT: Final = 1_000_000  # without the header row
COLUMNS_LIMIT: Final = 50  # of a sheet; cells further right are not read
CELLS_LIMIT: Final = 10_000_000  # of a sheet, including those that are not read
CELL_CHARACTERS_LIMIT: Final = 300
LINE_CHARACTERS_LIMIT: Final = 65_536

PARTS_LIMIT: Final = 1_000  # of a workbook, counted in its directory
SHEET_BYTES_LIMIT: Final = 256 * 1024 * 1024  # expanded
STRINGS_BYTES_LIMIT: Final = 48 * 1024 * 1024  # expanded; the texts stay in memory
PART_BYTES_LIMIT: Final = 4 * 1024 * 1024  # any other part that is read, expanded
EXPANSION_LIMIT: Final = 100  # all parts that are read, by the file's size; sheets reach 20
EXPANDED_BYTES_ALWAYS: Final = 1024 * 1024  # a small file may always expand to this size
TAG_BYTES_LIMIT: Final = 256 * 1024  # the parser holds a tag until it ends

MEMORY_BYTES: Final = 192 * 1024 * 1024  # of address space, so resident memory is always less
OPEN_FILES: Final = 16
CPU_SECONDS: Final = 2.0
CPU_SECONDS_FOR_A_TEXT: Final = (
    10e-6  # in addition, for each row, cell or shared text that was read
)
CPU_SECONDS_AT_MOST: Final = 150  # whatever was read

FRAME_BYTES: Final = (
    8 * 1024 * 1024
)  # one message to the parent; a CSV row may have 1.3 M characters
TEXT_CHARACTERS_LIMIT: Final = (
    256 * 1024 * 1024
)  # of all rows, shared texts as often as they are used
WAIT_SECONDS: Final = 600  # of the parent for its child, in all


class UnreadableFileError(ValueError):
    """The file as a whole can't be read; the text is one clear sentence."""


def too_many_rows() -> UnreadableFileError:
    """Return the error of a file with more than ROWS_LIMIT rows."""
    return UnreadableFileError(f"The file has more than {ROWS_LIMIT:,} rows.")


class Budget:
    """CPU seconds that reading may take: a fixed amount, and more with everything that was read.

    A file that makes the reader work without giving rows fails after CPU_SECONDS; a file of a
    million rows may take as long as this many rows need.
    """

    def __init__(
        self, raised: Callable[[int], None] | None = None, *, seconds: float = inf
    ) -> None:
        """`seconds`: inf for no limit. `raised`: called with each new limit in whole seconds."""
        self._seconds, self._raised, self._told = seconds, raised, 0
        self.texts = 0

    def check(self) -> None:
        """Raise UnreadableFileError if this process has used more than it may by now."""
        allowed = self._seconds + self.texts * CPU_SECONDS_FOR_A_TEXT
        if allowed == inf:
            return
        if process_time() > allowed:
            raise UnreadableFileError("The file takes too long to read.")
        if self._raised is not None and ceil(allowed) > self._told:
            self._told = ceil(allowed)
            self._raised(self._told)
