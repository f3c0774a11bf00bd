"""The paths of the runtime's files. Standard library only, because the settings import this."""

import hashlib
import os
import tempfile
from pathlib import Path

LONGEST_SOCKET_PATH = 100  # Linux allows 107 bytes, others 103


def redis_socket(folder: Path) -> Path:
    """Return the path of the Unix socket of the Redis whose data is in `folder`.

    The socket is in that folder, unless its path would be too long for a socket. Then it is in a
    short folder of this user in the temporary directory.
    """
    socket = folder / "redis.sock"
    if len(os.fsencode(socket)) <= LONGEST_SOCKET_PATH:
        return socket
    digest = hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"poolsite-{os.getuid()}-{digest}" / "redis.sock"


def private_folder(folder: Path) -> Path:
    """Create `folder` for this user alone. Raise PermissionError if it belongs to another user."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if folder.stat().st_uid != os.geteuid():
        raise PermissionError(f"{folder} belongs to another user.")
    return folder
