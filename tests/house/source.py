"""The project's own files, as the house tests read them."""

import ast
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
NOT_OURS = {".git", ".venv", "var", "staticfiles", "node_modules"}


@cache
def files(*endings: str) -> tuple[Path, ...]:
    """Return the files that git tracks or would track, with one of the endings, or all."""
    if shutil.which("git") and (ROOT / ".git").exists():
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split("\0")
        found = [ROOT / name for name in listed if name]
    else:
        found = [path for path in ROOT.rglob("*") if not NOT_OURS & set(path.parts)]
    return tuple(
        path
        for path in sorted(set(found))
        if path.is_file() and (not endings or path.suffix in endings)
    )


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), filename=str(path))


def text_of(path: Path) -> str:
    """Return the file's text, or an empty text for a picture or another binary file."""
    try:
        return path.read_text()
    except UnicodeDecodeError:
        return ""


def module_name(path: Path) -> str:
    """Return the dotted name under which `path` is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_modules(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (line, dotted module) of every import in the file, including those in functions.

    `from a import b` yields `a.b` if that is a module of ours, else `a`.
    """
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield node.lineno, name if is_ours(name) else node.module


def is_ours(module: str) -> bool:
    """Return whether the dotted name is a file or folder of this project."""
    place = ROOT.joinpath(*module.split("."))
    return place.with_suffix(".py").is_file() or place.is_dir()
