"""The description of a backup: manifest.json, and its checksum in manifest.sha256."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings

import poolsite
from poolsite.backup.errors import BackupError

FILE, SUM_FILE = "manifest.json", "manifest.sha256"
FORMAT = 1


@dataclass
class Manifest:
    """The content of manifest.json. Times are ISO 8601 in UTC.

    complete_until: everything acknowledged before it is in the backup (without Redis: everything
    that was in SQL). nothing_after: nothing acknowledged after it is in the backup. migrations:
    `app.name` of all applied ones. left_out: sentences. only_in_redis: tags whose latest entries
    SQL lacks. files: name → bytes and SHA-256.
    """

    release: str
    complete_until: str
    nothing_after: str
    finished_at: str
    engine: str
    database: str
    migrations: list[str]
    redis: list[dict[str, str]] = field(default_factory=list)
    only_in_redis: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    files: dict[str, dict[str, Any]] = field(default_factory=dict)
    format: int = FORMAT


def release() -> str:
    """Return the version of the code, with its folder's name if deploy/install installed it."""
    home = Path(settings.BASE_DIR)
    installed = f" ({home.name})" if (home / "complete").exists() else ""
    return poolsite.__version__ + installed


def write(folder: Path, manifest: Manifest) -> None:
    """Describe every file in the folder, then write the manifest and its checksum."""
    manifest.files = {path.name: _described(path) for path in sorted(folder.iterdir())}
    write_json(folder / FILE, asdict(manifest))
    digest = _described(folder / FILE)["sha256"]
    (folder / SUM_FILE).write_text(f"{digest}  {FILE}\n")


def write_json(target: Path, content: Mapping[str, Any]) -> None:
    """Write a JSON file that people can read, too."""
    target.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def read(folder: Path) -> Manifest:
    """Compare every file with the manifest and return it. Raise BackupError with what is wrong."""
    if not (folder / FILE).is_file():
        raise BackupError(f"{folder} is no backup: it has no {FILE}.")
    try:
        said = (folder / SUM_FILE).read_text().split()
        if said != [_described(folder / FILE)["sha256"], FILE]:
            raise BackupError(f"{folder / FILE} was changed or damaged: use another backup.")
        content = json.loads((folder / FILE).read_text(encoding="utf-8"))
        if content["format"] != FORMAT:
            raise BackupError(
                f"The backup has format {content['format']}, and this release reads {FORMAT}: "
                "use the release that made it."
            )
        manifest = Manifest(**content)
        _compare(folder, manifest.files)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise BackupError(f"The backup can't be read: {error}") from error
    return manifest


def _compare(folder: Path, files: Mapping[str, Mapping[str, Any]]) -> None:
    for name, said in files.items():
        if not (folder / name).is_file():
            raise BackupError(f"{folder / name} is missing: use another backup.")
        if _described(folder / name) != said:
            raise BackupError(f"{folder / name} was changed or damaged: use another backup.")


def _described(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"bytes": path.stat().st_size, "sha256": digest}


def told(lines: Iterable[str]) -> str:
    """Return the first items of a long list, for one line."""
    items = list(lines)
    return ", ".join(items[:10]) + (f" and {len(items) - 10} more" if len(items) > 10 else "")
