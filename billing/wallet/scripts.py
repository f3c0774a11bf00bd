"""The Lua files of the wallet, loaded once."""

from pathlib import Path

from poolsite.hotpath import load_folder

SCRIPTS = load_folder("billing", Path(__file__).parent.parent / "lua")
