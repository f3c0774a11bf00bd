"""Files of rooms, if they are in a folder of this machine: one tar file."""

import os
import shutil
import tarfile
from pathlib import Path

from django.core.files.storage import FileSystemStorage, storages

from poolsite.backup.errors import BackupError

FILE = "attachments.tar"


def left_out() -> str:
    """Return why files of rooms are not in a backup, or "" if they are."""
    storage = storages["attachments"]
    if isinstance(storage, FileSystemStorage):
        return ""
    return f"files of rooms are in {type(storage).__name__}, which has backups of its own"


def copy(target: Path) -> int:
    """Write every file into one tar file; return how many. Skip files deleted in the meantime."""
    source, count = _folder(), 0
    with target.open("xb") as file, tarfile.open(fileobj=file, mode="w") as tar:
        for folder, _, names in os.walk(source):
            for name in names:
                path = Path(folder, name)
                try:
                    with path.open("rb") as content:
                        member = tar.gettarinfo(
                            arcname=str(path.relative_to(source)), fileobj=content
                        )
                        tar.addfile(member, content)
                except FileNotFoundError:
                    continue
                count += 1
    return count


def require_folder() -> None:
    """Raise BackupError unless files can be restored on this machine."""
    reason = left_out()
    if reason:
        raise BackupError(f"The backup has files of rooms, but {reason}. Use --without-files.")


def restore(source: Path) -> None:
    """Put the files where the site reads them; other files there stay. Raise BackupError.

    The files are extracted one by one: the Python of Debian 12 (3.11.2) lacks tarfile's own
    filters.
    """
    target = _folder().resolve()
    target.mkdir(parents=True, exist_ok=True, mode=0o700)
    with tarfile.open(source) as tar:
        for member in tar:
            path = (target / member.name).resolve()
            content = tar.extractfile(member) if member.isreg() else None
            if content is None or not path.is_relative_to(target):
                raise BackupError(f"{FILE} has {member.name!r}, which is no file of a room.")
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("wb") as file:
                shutil.copyfileobj(content, file)
            path.chmod(member.mode & 0o644)
            os.utime(path, (member.mtime, member.mtime))


def _folder() -> Path:
    storage = storages["attachments"]
    assert isinstance(storage, FileSystemStorage)  # noqa: S101  left_out was called
    return Path(storage.location)
