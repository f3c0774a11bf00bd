"""A batch's CSV: device and payload, one row each; what is wrong is named row by row."""

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Final

from django.utils.translation import gettext as _

from queueing.admission.gate import TEXT_LIMIT
from queueing.admission.models import DEVICE_PATTERN

ROWS_LIMIT: Final = 200_000
BYTES_LIMIT: Final = 32_000_000
PROBLEMS_LIMIT: Final = 100
_DEVICE = re.compile(DEVICE_PATTERN)
_HEADERS: Final = (["device"], ["device", "payload"])


@dataclass(frozen=True, slots=True)
class Problem:
    """A row that cannot be taken; `row` counts lines from 1, 0 = the file as a whole."""

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
    """What a file holds: the good rows, how many are bad, and the first of those."""

    rows: list[tuple[str, str]] = field(default_factory=list)
    bad: int = 0
    problems: list[Problem] = field(default_factory=list)

    def refuse(self, row: int, device: str, what: str) -> None:
        self.bad += 1
        if len(self.problems) < PROBLEMS_LIMIT:
            shown = "".join(c if c.isprintable() else "?" for c in device)[:64]
            self.problems.append(Problem(row, shown, what))


def read_upload(source: bytes | BinaryIO) -> Upload:
    """Read a CSV of UTF-8; a first line `device,payload` is a header. Never raises."""
    upload = Upload()
    data = source if isinstance(source, bytes) else source.read(BYTES_LIMIT + 1)
    if len(data) > BYTES_LIMIT:
        upload.refuse(0, "", _("The file is larger than %(mb)s MB.") % {"mb": BYTES_LIMIT // 10**6})
        return upload
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        upload.refuse(0, "", _("Line %(line)s is not UTF-8.") % {"line": line})
        return upload
    seen: dict[str, int] = {}
    try:
        for line, cells in _rows(text):
            _take(upload, seen, line, cells)
    except csv.Error as error:
        upload.refuse(0, "", _("Not a CSV file: %(why)s.") % {"why": error})
    if not upload.rows and not upload.bad:
        upload.refuse(0, "", _("The file has no rows."))
    return upload


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    for cells in reader:
        if not cells or (reader.line_num == 1 and [c.strip().lower() for c in cells] in _HEADERS):
            continue
        yield reader.line_num, cells


def _take(upload: Upload, seen: dict[str, int], line: int, cells: list[str]) -> None:
    device = cells[0].strip()
    payload = cells[1] if len(cells) > 1 else ""
    what = _problem(device, payload, cells)
    if not what and device in seen:
        what = _("stands in row %(row)s already") % {"row": seen[device]}
    if not what and len(upload.rows) >= ROWS_LIMIT:
        what = _("more than %(limit)s rows") % {"limit": ROWS_LIMIT}
    if what:
        upload.refuse(line, device, what)
        return
    seen[device] = line
    upload.rows.append((device, payload))


def _problem(device: str, payload: str, cells: list[str]) -> str:
    if len(cells) > 2:
        return _("more than two columns; quote a payload that has commas")
    if not _DEVICE.match(device):
        return _("not a device: 1 to 63 letters, digits, . _ : and -")
    if len(payload.encode()) > TEXT_LIMIT:
        return _("the payload is longer than %(limit)s bytes") % {"limit": TEXT_LIMIT}
    if any(ord(c) < 32 or ord(c) == 127 for c in payload):
        return _("the payload has control characters")
    return ""
