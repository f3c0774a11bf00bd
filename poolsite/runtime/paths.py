"""Where the runtime's files stand. Standard library only: settings.py imports this."""

import hashlib
import os
import tempfile
from pathlib import Path

LONGEST_SOCKET_PATH = 100  # Linux takes 107 bytes, others 103


def redis_socket(folder: Path) -> Path:
    """Return the address of the Unix socket of the Redis whose data is in `folder`.

    It stands in the folder itself unless its path would be longer than a socket's may be;
    then in a short folder of this user in the temporary directory.
    """
    socket = folder / "redis.sock"
    if len(os.fsencode(socket)) <= LONGEST_SOCKET_PATH:
        return socket
    digest = hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"poolsite-{os.getuid()}-{digest}" / "redis.sock"


def private_folder(folder: Path) -> Path:
    """Make `folder` for this user alone; refuse one that belongs to somebody else."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if folder.stat().st_uid != os.geteuid():
        raise PermissionError(f"{folder} belongs to another user.")
    return folder
