"""Files that people send in rooms: detection of their type, and removal of extra data.

No picture is decoded here. Only its container is walked, which costs about as much as reading it.
Data that is not part of the picture (the location, comments, anything after its end) is left out.
So a file that is both a picture and something else is only a picture afterwards.
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
