"""The accepted file types, detected by the first bytes and never by name or header."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from queueing.line.files.chunked import PNG_SIGN, clean_gif, clean_png, clean_webp
from queueing.line.files.jpeg import clean_jpeg
from queueing.line.files.walking import BrokenFileError, Picture

PDF: Final = "application/pdf"
IMAGES: Final = ("image/jpeg", "image/png", "image/gif", "image/webp")
KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "image/jpeg": (".jpg", ".jpeg"),
    "image/png": (".png",),
    "image/gif": (".gif",),
    "image/webp": (".webp",),
    PDF: (".pdf",),
}
NAME_LENGTH: Final = 100
_CLEAN: Final[Mapping[str, Callable[[bytes], Picture]]] = {
    "image/jpeg": clean_jpeg,
    "image/png": clean_png,
    "image/gif": clean_gif,
    "image/webp": clean_webp,
}
_PDF_END: Final = 2_048  # its last line is within this many bytes of the end


@dataclass(frozen=True, slots=True)
class Found:
    """A file as it is stored. A PDF has no size in pixels, and is stored unchanged."""

    kind: str
    data: bytes
    width: int = 0
    height: int = 0


def read_file(data: bytes) -> Found | None:
    """Return a file's type and its cleaned content, or None if the type is not accepted.

    Raise BrokenFileError if the file is incomplete, or TooManyPixelsError.
    """
    kind = _kind(data)
    if kind is None:
        return None
    if kind == PDF:
        if b"%%EOF" not in data[-_PDF_END:]:
            raise BrokenFileError("it ends too early")
        return Found(PDF, data)
    picture = _CLEAN[kind](data)
    return Found(kind, picture.whole(), picture.width, picture.height)


def _kind(data: bytes) -> str | None:
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith(PNG_SIGN):
        return "image/png"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "image/webp"
    if data.startswith((b"%PDF-1.", b"%PDF-2.")):
        return PDF
    return None


def safe_name(name: str, kind: str) -> str:
    """Return a file's name without folders, with its type's extension: `x.html` → `x.html.png`."""
    last = "".join(c for c in name.replace("\\", "/").rpartition("/")[2] if c.isprintable())
    last = last.strip(". ")
    ending = PurePosixPath(last).suffix
    if ending.lower() in KINDS[kind]:
        stem = last.removesuffix(ending)
    else:
        stem, ending = last, KINDS[kind][0]
    return f"{stem[: NAME_LENGTH - len(ending)].strip() or 'file'}{ending}"
