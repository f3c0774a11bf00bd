"""The Lua files of the number pool, loaded once."""

from pathlib import Path
from typing import Final

from poolsite.hotpath import load_folder

SWITCH_SCRIPTS: Final = ("event", "events", "live_list", "release")  # switches call them, too
SCRIPTS = load_folder("numbers", Path(__file__).parent.parent / "lua", direct=SWITCH_SCRIPTS)
