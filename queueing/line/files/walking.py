"""Helpers of all container readers: bounded reading, and the limits of a picture."""

import struct
from dataclasses import dataclass, field
from typing import Final

PIXELS_LIMIT: Final = 50_000_000  # 200 MB once decoded in the browser
FRAMES_LIMIT: Final = 1_000
STEPS_LIMIT: Final = 100_000  # a picture of 25 MB in parts of 512 bytes has half as many


class BrokenFileError(ValueError):
    """The file ends too early, or is not of the type that its first bytes claim."""


class TooManyPixelsError(ValueError):
    """The picture would fill the memory of its viewers."""


@dataclass(slots=True)
class Picture:
    """The kept parts of a picture while it is walked. Width and height are the largest found."""

    parts: list[bytes] = field(default_factory=list)
    width: int = 0
    height: int = 0
    frames: int = 0
    steps: int = 0

    def step(self) -> None:
        """Count a part that is read.

        Without the limit, a file could hold millions of empty ones.
        """
        self.steps += 1
        if self.steps > STEPS_LIMIT:
            raise BrokenFileError("too many parts")

    def covers(self, width: int, height: int) -> None:
        """Note the size of the picture or of a frame. Raise TooManyPixelsError over the limit."""
        if not width or not height:
            raise BrokenFileError("a picture without a size")
        self.width, self.height = max(self.width, width), max(self.height, height)
        if self.width * self.height > PIXELS_LIMIT:
            raise TooManyPixelsError

    def count_frame(self) -> None:
        """Count a frame, or a pass over the picture, that a viewer must decode."""
        self.frames += 1
        if self.frames > FRAMES_LIMIT:
            raise TooManyPixelsError

    def whole(self) -> bytes:
        """Return the picture. Raise BrokenFileError if it has no pixels."""
        if not self.width or not self.frames:
            raise BrokenFileError("no pixels")
        return b"".join(self.parts)


def cut(data: bytes, start: int, length: int) -> bytes:
    """Return `length` bytes from `start`. Raise BrokenFileError if there are fewer."""
    found = data[start : start + length]
    if len(found) < length:
        raise BrokenFileError("it ends too early")
    return found


def number(form: str, data: bytes, start: int) -> int:
    """Return a number in a format of `struct`. Raise BrokenFileError if the data ends before it."""
    try:
        found: int = struct.unpack_from(form, data, start)[0]
    except struct.error as error:
        raise BrokenFileError("it ends too early") from error
    return found
