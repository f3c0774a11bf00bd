"""Disk space, checked before a write could stop halfway. Standard library only."""

import shutil
from pathlib import Path


def require_space(folder: Path, needed_bytes: int) -> None:
    """Raise OSError with one sentence unless the disk of `folder` has the space."""
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    free_bytes = shutil.disk_usage(existing).free
    if free_bytes < needed_bytes:
        raise OSError(
            f"The disk is full: {existing} has {free_bytes // 2**20} MB free, "
            f"{needed_bytes // 2**20} MB needed."
        )
