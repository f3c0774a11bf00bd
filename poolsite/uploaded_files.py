"""Files that people upload: kept in SQL in parts, because the worker is another machine."""

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

UPLOAD_BYTES_LIMIT = 32 * 1024 * 1024
PART_BYTES = 1024 * 1024


def keep_parts(found: Any, data: Iterable[bytes]) -> int:
    """Store an upload as the parts of its row; returns its bytes.

    ValueError as soon as it is larger than 32 MB: leave the transaction.
    """
    size = place = 0
    for chunk in data:
        size += len(chunk)
        if size > UPLOAD_BYTES_LIMIT:
            raise ValueError("larger than 32 MB")
        for start in range(0, len(chunk), PART_BYTES):
            found.parts.create(place=place, data=chunk[start : start + PART_BYTES])
            place += 1
    return size


@contextmanager
def file_of(found: Any) -> Iterator[Path]:
    """The uploaded file, from its parts in SQL, on this machine's disk for as long as needed.

    found: a row with `file_name`, and `parts` of `place` and `data`.
    """
    with tempfile.NamedTemporaryFile(suffix=Path(found.file_name).suffix.lower()) as file:
        for data in found.parts.order_by("place").values_list("data", flat=True).iterator():
            file.write(bytes(data))
        file.flush()
        yield Path(file.name)
