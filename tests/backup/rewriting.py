"""Backups as another release would write them, or as someone with malicious intent would."""

import hashlib
import json
from pathlib import Path
from typing import Any


def rewrite(folder: Path, **fields: Any) -> None:
    """Change fields of a manifest, and its checksum."""
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))
    (folder / "manifest.sha256").write_text(f"{_sha256(path)}  manifest.json\n")


def cut_in_half(folder: Path, name: str) -> None:
    """Cut a file of the backup in half, and adapt the manifest to it."""
    path = folder / name
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    files = json.loads((folder / "manifest.json").read_text())["files"]
    files[name] = {"bytes": path.stat().st_size, "sha256": _sha256(path)}
    rewrite(folder, files=files)


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
