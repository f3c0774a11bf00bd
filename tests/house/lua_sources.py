"""The Lua of each app: its folders, with the operations and modules of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from poolsite.hotpath import PRELUDE
from tests.house.layers import APPS
from tests.house.lua_tokens import LuaSyntaxError, Token, tokens

LUA_APPS = tuple(app.replace(".", "/") for app in (*APPS, "poolsite"))


@dataclass(frozen=True)
class Source:
    """A Lua file. `place` is its path from the project's root, for display."""

    path: Path
    place: str

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def kind(self) -> str:
        if self.path == PRELUDE:
            return "prelude"
        return "module" if self.path.parent.name == "modules" else "operation"

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """Every token, comments included. Raise LuaSyntaxError, which names the file."""
        try:
            return tuple(tokens(self.text))
        except LuaSyntaxError as error:
            raise LuaSyntaxError(f"{self.place}: {error}") from error

    @cached_property
    def code(self) -> tuple[Token, ...]:
        return tuple(token for token in self.tokens if token.kind != "comment")


@dataclass(frozen=True)
class Folder:
    """A folder `lua`."""

    path: Path
    sources: tuple[Source, ...]

    def of_kind(self, *kinds: str) -> list[Source]:
        return [source for source in self.sources if source.kind in kinds]


def folders_of(app: str, root: Path) -> list[Folder]:
    """Return the Lua folders of an app. `app` is its path, e.g. "queueing/line"."""
    return [
        Folder(path, tuple(Source(each, each.relative_to(root).as_posix()) for each in files))
        for path in sorted((root / app).rglob("lua"))
        for files in [sorted(path.rglob("*.lua"))]
        if files
    ]


def sources_of(folders: Sequence[Folder]) -> list[Source]:
    return [source for folder in folders for source in folder.sources]
