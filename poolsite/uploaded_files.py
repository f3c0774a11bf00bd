"""Files that people upload. They are stored in SQL in parts, because the worker may be remote."""

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
    """Store an upload as parts of its row. Return its size in bytes.

    Raise TooLargeError as soon as it is larger than 32 MB. The caller must then leave the
    transaction.
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
    """Yield the uploaded file on this machine's disk, copied from its parts in SQL.

    The copy is deleted at the end of the block. found: a row with `file_name`, and `parts` with
    `place` and `data`.
    """
    parts = found.parts.order_by("place").values_list("data", flat=True).iterator()
    with _on_disk(map(bytes, parts), Path(found.file_name).suffix.lower()) as path:
        yield path


@contextmanager
def file_from(data: bytes | Iterable[bytes], limit: int) -> Iterator[Path]:
    """Yield a request's upload as a file on this machine's disk, deleted at the end of the block.

    Raise TooLargeError as soon as it has more than `limit` bytes.
    """
    chunks = (data,) if isinstance(data, bytes) else data
    with _on_disk(bounded(chunks, limit)) as path:
        yield path


def bounded(chunks: Iterable[bytes], limit: int) -> Iterator[bytes]:
    """Yield the chunks. Raise TooLargeError as soon as they exceed `limit` bytes."""
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
