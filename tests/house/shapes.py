"""Code of the same shape in two apps: copies whose names and texts were changed."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.house.layers import APPS
from tests.house.source import ROOT, files, relative, text_of

RUN = 21  # lines of code, without comments and imports
TABLE = 10  # a run with this few different lines is a table: its rows are data
_WORDS = "and as class def elif else except for if in is lambda not or raise return try while with"
_STEPS = (
    (re.compile(r'"""(?:[^"\\]|\\.|"(?!""))*"""'), lambda found: "\n" * found[0].count("\n")),
    (re.compile(r'"(?:[^"\\\n]|\\.)*"'), '"'),
    (re.compile(r"#.*|^ *(?:import|from) (?:.*\([^()]*\)|.*)", re.MULTILINE), ""),
    (re.compile(rf"\b(?!(?:{_WORDS.replace(' ', '|')})\b)[A-Za-z_]\w*"), "n"),
    (re.compile(r"\b\d[\w.]*"), "0"),
)

Line = tuple[int, str]  # its number, and its shape


def shapes(text: str) -> list[Line]:
    """Return the lines of code with all names, texts and numbers replaced by placeholders."""
    for pattern, made in _STEPS:
        text = pattern.sub(made, text)
    lines = enumerate(text.splitlines(), start=1)
    return [(number, line.rstrip()) for number, line in lines if line.strip(' "\n')]


def runs(lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """Yield the first line and the hash of each run that is not a table."""
    for start in range(len(lines) - RUN + 1):
        run = tuple(shape for _, shape in lines[start : start + RUN])
        if len(set(run)) > TABLE:
            yield lines[start][0], hash(run)


def copies(apps: dict[str, dict[str, str]]) -> list[str]:
    """Return a sentence for each file that shares a run with another app.

    apps: name → file → text.
    """
    seen: dict[int, tuple[str, str, int]] = {}
    found: dict[tuple[str, str], str] = {}
    for app, texts in apps.items():
        for name, text in texts.items():
            for line, run in runs(shapes(text)):
                other, theirs, there = seen.setdefault(run, (app, name, line))
                if other != app:
                    said = f"{theirs}:{there} and {name}:{line} have {RUN} lines of the same shape"
                    found.setdefault((theirs, name), said)
    return list(found.values())


def product() -> dict[str, dict[str, str]]:
    """Return the source of the five apps, without migrations."""
    paths = [path for path in files(".py") if "migrations" not in path.parts]
    return {app: dict(_sources(ROOT / app.replace(".", "/"), paths)) for app in APPS}


def _sources(folder: Path, paths: Sequence[Path]) -> Iterator[tuple[str, str]]:
    for path in paths:
        if path.is_relative_to(folder):
            yield relative(path), text_of(path)
