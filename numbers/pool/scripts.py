"""The Lua files of the number pool, loaded once."""

from pathlib import Path

from poolsite.hotpath import load_folder

SCRIPTS = load_folder("numbers", Path(__file__).parent.parent / "lua")
