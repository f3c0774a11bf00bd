"""What every reader of a container needs: bounded reading, and the limits of a picture."""

import struct
from dataclasses import dataclass, field
from typing import Final

PIXELS_LIMIT: Final = 50_000_000  # decoded, that is 200 MB in the browser that shows it
FRAMES_LIMIT: Final = 1_000
STEPS_LIMIT: Final = 100_000  # parts of a file: a picture of 25 MB in parts of 512 bytes has half


class BrokenFileError(ValueError):
    """The file ends too early, or is not what its first bytes say."""


class TooManyPixelsError(ValueError):
    """A picture that would fill the memory of whoever looks at it."""


@dataclass(slots=True)
class Picture:
    """What is kept of a picture while it is walked through. Width and height are the largest."""

    parts: list[bytes] = field(default_factory=list)
    width: int = 0
    height: int = 0
    frames: int = 0
    steps: int = 0

    def step(self) -> None:
        """One more part is looked at. Millions of empty ones would fit into a file."""
        self.steps += 1
        if self.steps > STEPS_LIMIT:
            raise BrokenFileError("too many parts")

    def covers(self, width: int, height: int) -> None:
        """The picture, or one of its frames, has this size."""
        if not width or not height:
            raise BrokenFileError("a picture without a size")
        self.width, self.height = max(self.width, width), max(self.height, height)
        if self.width * self.height > PIXELS_LIMIT:
            raise TooManyPixelsError

    def count_frame(self) -> None:
        """One more picture, or one more pass over it, has to be decoded."""
        self.frames += 1
        if self.frames > FRAMES_LIMIT:
            raise TooManyPixelsError

    def whole(self) -> bytes:
        """The picture. BrokenFileError when it had no pixels."""
        if not self.width or not self.frames:
            raise BrokenFileError("no pixels")
        return b"".join(self.parts)


def cut(data: bytes, start: int, length: int) -> bytes:
    """So many bytes from `start`. BrokenFileError when there are fewer."""
    found = data[start : start + length]
    if len(found) < length:
        raise BrokenFileError("it ends too early")
    return found


def number(form: str, data: bytes, start: int) -> int:
    """One number, as struct calls its form. BrokenFileError when the data end before it."""
    try:
        found: int = struct.unpack_from(form, data, start)[0]
    except struct.error as error:
        raise BrokenFileError("it ends too early") from error
    return found
