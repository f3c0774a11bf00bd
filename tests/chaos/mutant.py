"""Runs tests against the product with one line of it changed in memory.

The environment names the file, the text and what stands in its place; the tree is untouched.
Imported before pytest begins, so before anything of the product is.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType

ROOT = Path(__file__).resolve().parents[2]
VARIABLES = ("MUTANT_FILE", "MUTANT_OLD", "MUTANT_NEW")


@dataclass(frozen=True)
class Mutation:
    """One change of one file's text; ValueError unless the text stands there exactly once."""

    path: Path
    old: str
    new: str

    def of(self, text: str) -> str:
        if text.count(self.old) != 1:
            raise ValueError(f"{self.path}: {self.old!r} stands there {text.count(self.old)} times")
        return text.replace(self.old, self.new)


class _Loader(importlib.machinery.SourceFileLoader):
    """Compiles the changed text; what Python cached of the true one is not looked at."""

    mutation: Mutation

    def get_code(self, fullname: str) -> CodeType:
        text = self.mutation.of(self.mutation.path.read_text())
        return compile(text, str(self.mutation.path), "exec", dont_inherit=True)


class _Finder(importlib.abc.MetaPathFinder):
    def __init__(self, mutation: Mutation) -> None:
        self.mutation = mutation
        self.name = ".".join(mutation.path.relative_to(ROOT).with_suffix("").parts)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self.name:
            return None
        loader = _Loader(fullname, str(self.mutation.path))
        loader.mutation = self.mutation
        return importlib.util.spec_from_file_location(fullname, self.mutation.path, loader=loader)


def apply(mutation: Mutation) -> None:
    """From now on this process meets the changed text in place of the file's."""
    mutation.of(mutation.path.read_text())  # refuse what would change nothing
    if mutation.path.suffix == ".py":
        finder = _Finder(mutation)
        if finder.name in sys.modules:
            raise RuntimeError(f"{finder.name} was imported before it could be changed")
        sys.meta_path.insert(0, finder)
        return
    read = Path.read_text

    def read_text(self: Path, encoding: str | None = None, errors: str | None = None) -> str:
        text = read(self, encoding=encoding, errors=errors)
        return mutation.of(text) if self.resolve() == mutation.path else text

    Path.read_text = read_text  # type: ignore[method-assign]


if all(name in os.environ for name in VARIABLES):
    _file, _old, _new = (os.environ[name] for name in VARIABLES)
    apply(Mutation(ROOT / _file, _old, _new))
