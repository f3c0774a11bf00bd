"""Files that people send in rooms: what they are by their content, and what is kept of them.

No picture is decoded here: its container is walked, which costs about what reading it costs. What
is not part of the picture (where it was taken, comments, whatever follows its end) is left out, so
that a file that is a picture and something else is only a picture afterwards.
"""

from queueing.line.files.kinds import IMAGES, PDF, Found, read_file, safe_name
from queueing.line.files.walking import PIXELS_LIMIT, BrokenFileError, TooManyPixelsError

__all__ = [
    "IMAGES",
    "PDF",
    "PIXELS_LIMIT",
    "BrokenFileError",
    "Found",
    "TooManyPixelsError",
    "read_file",
    "safe_name",
]
