"""The demo's initial data. Each app adds its part with `register` in AppConfig.ready().

Data that no first page needs, such as hours of calls, is called a past: `fill_in` creates it while
the demo runs.
"""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings

ACTOR = "demo_data"
PRIVATE_MODE = 0o600


@dataclass
class DemoData:
    """The state that the parts share while they create the demo's data.

    `small` requests the data that a fault test needs, instead of what a visitor wants to see. Parts
    add to `logins` (which the demo prints) and to `simulation` (which the simulator reads).
    """

    password: str
    small: bool = False
    accounts: dict[str, Any] = field(default_factory=dict)
    logins: list[dict[str, str]] = field(default_factory=list)
    simulation: dict[str, Any] = field(default_factory=dict)


Part = Callable[[DemoData], None]
Past = Callable[[], None]
_parts: dict[int, list[Part]] = {}
_pasts: dict[int, list[Past]] = {}


def register(order: int, part: Part) -> None:
    """Add a part. Lower orders run first. A part must be idempotent, and quick the second time."""
    _parts.setdefault(order, []).append(part)


def register_past(order: int, past: Past) -> None:
    """Add a past. It runs after every part, during live traffic.

    A past must be idempotent: one that was interrupted runs again, and results in the same rows.
    """
    _pasts.setdefault(order, []).append(past)


def make(*, small: bool = False) -> Path:
    """Run every part and write the two files. Return their folder, DATA_DIR/demo."""
    folder = Path(settings.DATA_DIR) / "demo"
    folder.mkdir(parents=True, exist_ok=True)
    data = DemoData(password=os.environ.get("POOLSITE_DEMO_PASSWORD", ""), small=small)
    for order in sorted(_parts):
        for part in _parts[order]:
            part(data)
    _write(folder / "logins.json", data.logins)
    if data.simulation:
        _write(folder / "simulation.json", data.simulation)
    return folder


def fill_in() -> None:
    """Create every past, then the mark file."""
    for order in sorted(_pasts):
        for past in _pasts[order]:
            past()
    filled_mark(Path(settings.DATA_DIR)).touch()


def filled_mark(data: Path) -> Path:
    """Return the path of the file that marks that the database under `data` has its past."""
    return data / "demo" / "filled"


def read_simulation() -> dict[str, Any]:
    """Return the simulator's previous configuration, or {} at the first start."""
    path = Path(settings.DATA_DIR) / "demo" / "simulation.json"
    return json.loads(path.read_text()) if path.exists() else {}


def _write(path: Path, content: object) -> None:
    """Replace the file in one step. It contains secrets, so only its owner can read it."""
    draft = path.with_suffix(".new")
    draft.touch(mode=PRIVATE_MODE)
    draft.write_text(json.dumps(content, indent=1, ensure_ascii=False))
    draft.replace(path)
