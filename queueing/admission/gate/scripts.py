"""The Lua files of the gate, loaded once."""

from pathlib import Path

from poolsite.hotpath import load_folder

SCRIPTS = load_folder("admission", Path(__file__).parent.parent / "lua")
