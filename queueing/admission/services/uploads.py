"""A batch's CSV file: device and payload, one row each. Problems are reported by row."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Final

from django.utils.translation import gettext as _

from poolsite.table_files import read_exactly
from poolsite.table_reader.cells import OpenQuote
from poolsite.table_reader.limits import UnreadableFileError
from poolsite.table_sentences import said
from poolsite.uploaded_files import TooLargeError, file_from
from queueing.admission.gate import TEXT_LIMIT
from queueing.admission.models import DEVICE_PATTERN

ROWS_LIMIT: Final = 200_000
BYTES_LIMIT: Final = 32_000_000
PROBLEMS_LIMIT: Final = 100
_DEVICE = re.compile(DEVICE_PATTERN)
_HEADERS: Final = (["device"], ["device", "payload"])


@dataclass(frozen=True, slots=True)
class Problem:
    """A row that can't be used. `row` counts lines from 1; 0 is the file as a whole."""

    row: int
    device: str
    what: str

    def __str__(self) -> str:
        if not self.row:
            return self.what
        return _("Row %(row)s (%(device)s): %(what)s") % {
            "row": self.row,
            "device": self.device,
            "what": self.what,
        }


@dataclass
class Upload:
    """The content of a file: the valid rows, the number of bad rows, and the first problems."""

    rows: list[tuple[str, str]] = field(default_factory=list)
    bad: int = 0
    problems: list[Problem] = field(default_factory=list)

    def refuse(self, row: int, device: str, what: str) -> None:
        self.bad += 1
        if len(self.problems) < PROBLEMS_LIMIT:
            shown = "".join(c if c.isprintable() else "?" for c in device)[:64]
            self.problems.append(Problem(row, shown, what))


def read_upload(data: bytes | Iterable[bytes]) -> Upload:
    """Read a CSV file in UTF-8. A first line `device,payload` is a header. This never raises.

    A file that can't be read to its end, or that has more bad rows than a batch can have rows, has
    one problem and no rows.
    """
    upload = Upload()
    seen: dict[str, int] = {}
    try:
        for line, cells in _rows(data):
            _take(upload, seen, line, cells)
            if upload.bad > ROWS_LIMIT:
                what = _("The file has more than %(limit)s rows.")
                return _unreadable(what % {"limit": f"{ROWS_LIMIT:,}"})
    except TooLargeError:
        return _unreadable(_("The file is larger than %(mb)s MB.") % {"mb": BYTES_LIMIT // 10**6})
    except UnreadableFileError as error:
        return _unreadable(said(str(error)))
    if not upload.rows and not upload.bad:
        return _unreadable(_("The file has no rows."))
    return upload


def _unreadable(what: str) -> Upload:
    return Upload(bad=1, problems=[Problem(0, "", what)])


def _rows(data: bytes | Iterable[bytes]) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield the rows with their lines. CSV only: a cell of XLSX is too short for a payload."""
    with file_from(data, BYTES_LIMIT) as path, closing(read_exactly(path, "batch.csv")) as rows:
        for line, cells in rows:
            is_header = line == 1 and [cell.strip().lower() for cell in cells] in _HEADERS
            if cells and not is_header:
                yield line, cells


def _take(upload: Upload, seen: dict[str, int], line: int, cells: Sequence[str]) -> None:
    if isinstance(cells[0], OpenQuote):
        upload.refuse(line, cells[0].line.partition(",")[0], _open_quote(line, cells[0].since))
        return
    device = cells[0].strip()
    payload = cells[1] if len(cells) > 1 else ""
    what = _problem(device, payload, cells)
    if not what and device in seen:
        what = _("already listed in row %(row)s") % {"row": seen[device]}
    if not what and len(upload.rows) >= ROWS_LIMIT:
        what = _("more than %(limit)s rows") % {"limit": ROWS_LIMIT}
    if what:
        upload.refuse(line, device, what)
        return
    seen[device] = line
    upload.rows.append((device, payload))


def _open_quote(line: int, since: int) -> str:
    if since:
        return _("inside a quotation that starts in row %(row)s") % {"row": line - since}
    return _("quotation mark not closed")


def _problem(device: str, payload: str, cells: Sequence[str]) -> str:
    if len(cells) > 2:
        return _("more than two columns; put a payload with commas in quotation marks")
    if not _DEVICE.match(device):
        return _("invalid device ID; use 1 to 63 letters, digits, or the characters . _ : and -")
    if len(payload.encode()) > TEXT_LIMIT:
        return _("the payload is longer than %(limit)s bytes") % {"limit": TEXT_LIMIT}
    if any(ord(c) < 32 or ord(c) == 127 for c in payload):
        return _("the payload contains control characters")
    return ""
