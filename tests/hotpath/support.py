"""Scripts and commands that the tests of the hot path share."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from poolsite import hotpath

TAG = "{demo}"
SCRIPTS = hotpath.load_folder("hotpathtest", Path(__file__).parent / "lua")


def count(
    label: str = "x", *, tag: str = TAG, operation_id: str | None = None
) -> hotpath.Command[int]:
    """Return a command whose result is how often the script has run on `tag`."""
    script = SCRIPTS["count"]
    args = (label, operation_id or "")
    return hotpath.Command(script, script.keys_of(tag), args, _first, operation_id)


def fail(tag: str = TAG) -> hotpath.Command[int]:
    return hotpath.Command(SCRIPTS["fail"], (tag,), (), _first)


def pair(operation_id: str, tag: str = TAG) -> hotpath.Command[tuple[str, ...]]:
    script = SCRIPTS["pair"]
    return hotpath.Command(script, script.keys_of(tag), (operation_id,), tuple, operation_id)


def _first(reply: Sequence[Any]) -> int:
    return int(reply[0])
