"""Files that people upload: kept in SQL in parts, because the worker is another machine."""

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

UPLOAD_BYTES_LIMIT = 32 * 1024 * 1024
PART_BYTES = 1024 * 1024


class TooLargeError(ValueError):
    """An upload has more bytes than its limit."""


def keep_parts(found: Any, data: Iterable[bytes]) -> int:
    """Store an upload as the parts of its row; returns its bytes.

    TooLargeError as soon as it is larger than 32 MB: leave the transaction.
    """
    size = place = 0
    for chunk in data:
        size += len(chunk)
        if size > UPLOAD_BYTES_LIMIT:
            raise TooLargeError("larger than 32 MB")
        for start in range(0, len(chunk), PART_BYTES):
            found.parts.create(place=place, data=chunk[start : start + PART_BYTES])
            place += 1
    return size


@contextmanager
def file_of(found: Any) -> Iterator[Path]:
    """The uploaded file, from its parts in SQL, on this machine's disk for as long as needed.

    found: a row with `file_name`, and `parts` of `place` and `data`.
    """
    parts = found.parts.order_by("place").values_list("data", flat=True).iterator()
    with _on_disk(map(bytes, parts), Path(found.file_name).suffix.lower()) as path:
        yield path


@contextmanager
def file_from(data: bytes | Iterable[bytes], limit: int) -> Iterator[Path]:
    """What came with one request, on this machine's disk for as long as needed.

    TooLargeError as soon as it has more than `limit` bytes.
    """
    chunks = (data,) if isinstance(data, bytes) else data
    with _on_disk(bounded(chunks, limit)) as path:
        yield path


def bounded(chunks: Iterable[bytes], limit: int) -> Iterator[bytes]:
    """The same chunks; TooLargeError as soon as they are more than `limit` bytes."""
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > limit:
            raise TooLargeError(f"larger than {limit} bytes")
        yield chunk


@contextmanager
def _on_disk(chunks: Iterable[bytes], suffix: str = "") -> Iterator[Path]:
    with tempfile.NamedTemporaryFile(suffix=suffix) as file:
        for chunk in chunks:
            file.write(chunk)
        file.flush()
        yield Path(file.name)
