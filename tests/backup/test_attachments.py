"""Files of rooms in a backup: each is restored unchanged, and none outside of their folder."""

import io
import os
import tarfile
from pathlib import Path
from typing import Any

import pytest

from poolsite.backup import attachments
from poolsite.backup.errors import BackupError

STORAGE = "django.core.files.storage.FileSystemStorage"


@pytest.fixture
def folder(tmp_path: Path, settings: Any) -> Path:
    """The folder of the files, with one file."""
    place = tmp_path / "attachments"
    one = {"BACKEND": STORAGE, "OPTIONS": {"location": str(place)}}
    settings.STORAGES = {**settings.STORAGES, "attachments": one}
    (place / "room").mkdir(parents=True)
    (place / "room" / "cat.png").write_bytes(b"a cat")
    os.utime(place / "room" / "cat.png", (1_000_000, 1_000_000))
    return place


def test_every_file_comes_back_with_its_time_and_others_stay(folder: Path, tmp_path: Path) -> None:
    assert attachments.copy(tmp_path / "files.tar") == 1
    (folder / "room" / "cat.png").unlink()
    (folder / "dog.png").write_bytes(b"a dog")
    attachments.restore(tmp_path / "files.tar")
    cat = folder / "room" / "cat.png"
    assert (cat.read_bytes(), cat.stat().st_mtime) == (b"a cat", 1_000_000)
    assert cat.stat().st_mode & 0o777 == 0o644
    assert (folder / "dog.png").read_bytes() == b"a dog"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("../out", tarfile.REGTYPE),
        ("/tmp/out-of-the-folder", tarfile.REGTYPE),
        ("room/../../out", tarfile.REGTYPE),
        ("link", tarfile.SYMTYPE),
        ("device", tarfile.CHRTYPE),
    ],
)
def test_what_is_no_file_of_a_room_is_refused(
    folder: Path, tmp_path: Path, name: str, kind: bytes
) -> None:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, "/etc/passwd"
    with tarfile.open(tmp_path / "files.tar", "w") as tar:
        tar.addfile(member, io.BytesIO())
    with pytest.raises(BackupError, match="no file of a room"):
        attachments.restore(tmp_path / "files.tar")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["attachments", "files.tar"]
    assert [path.name for path in folder.iterdir()] == ["room"]
