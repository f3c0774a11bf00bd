"""Figures for how readable each app's Lua is, and their limits."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from tests.house.lua_sources import Source
from tests.house.lua_tokens import BRACKETS, Token

LONGEST_FILE_LINES = 200
# What to do about a figure that is too large.
ADVICE = {
    "sub": "give what is cut out by position a name, in the one function that knows the columns",
    "numbers": "name the number, at column 0: `gate.WAKE_US = 100000`",
    "short": "spell the names of one or two letters out",
    "longest": "split the longest file",
}
WORDS = {
    "sub": "calls of sub with a number per 100 lines",
    "numbers": "bare numbers per 100 lines",
    "short": "% of names with one or two letters",
    "longest": "lines in the longest file",
}
TITLES = ("app", "files", "lines", "sub", "numbers", "short names", "longest file")
BULLMQ = ("BullMQ", "", "", "0.3", "1.2", "13 %", "")


@dataclass(frozen=True)
class Figures:
    """The figures of an app.

    Rates are rounded up to one decimal: `sub` and `numbers` are per 100 code lines, `short` is the
    share of names with one or two letters in %. `longest` counts every line.
    """

    files: int
    lines: int
    sub: float
    numbers: float
    short: float
    longest: int


MARKS = {"sub": 1.0, "numbers": 2.0, "short": 12.0, "longest": LONGEST_FILE_LINES}


def measure(sources: Sequence[Source]) -> Figures:
    """Measure files together. A name counts once for each file."""
    lines = sum(code_lines(source.code) for source in sources)
    names = [name for source in sources for name in names_of(source.code)]
    return Figures(
        files=len(sources),
        lines=lines,
        sub=_percent(sum(literal_subs(source.code) for source in sources), lines),
        numbers=_percent(sum(len(bare_numbers(source.code)) for source in sources), lines),
        short=_percent(sum(len(name) <= 2 for name in names), len(names)),
        longest=max((len(source.text.splitlines()) for source in sources), default=0),
    )


def _percent(part: int, whole: int) -> float:
    return math.ceil(part * 1000 / whole) / 10 if whole else 0.0


def code_lines(code: Sequence[Token]) -> int:
    """Count the lines that contain more than comments."""
    return len({n for token in code for n in range(token.line, token.last_line + 1)})


def names_of(code: Sequence[Token]) -> set[str]:
    """Return the names in a file: locals, parameters, functions, fields, globals. `_` is none."""
    return {token.text for token in code if token.kind == "name"} - {"_"}


def literal_subs(code: Sequence[Token]) -> int:
    """Count the calls of `sub`, `string.sub` and `s:sub` with a literal number as an argument."""
    return sum(
        any(_is_number(argument) for argument in arguments(code, place + 1))
        for place, token in enumerate(code[:-1])
        if token.kind == "name" and token.text == "sub" and code[place + 1].text == "("
        if not place or code[place - 1].text != "function"
    )


def _is_number(argument: Sequence[Token]) -> bool:
    is_negative = len(argument) == 2 and argument[0].text == "-"
    return (len(argument) == 1 or is_negative) and argument[-1].kind == "number"


def arguments(code: Sequence[Token], opening: int) -> Iterator[list[Token]]:
    """Yield the arguments of the call whose bracket is at `opening`."""
    depth, argument = 0, list[Token]()
    for token in code[opening:]:
        depth += _step(token)
        if not depth:
            break
        if depth == 1 and token.text == "," and token.kind == "sign":
            yield argument
            argument = []
        elif (depth, token.text) != (1, "("):
            argument.append(token)
    yield argument


def _step(token: Token) -> int:
    """Return 1 if a bracket opens, -1 if one closes, else 0."""
    if token.kind != "sign":
        return 0
    return (token.text in BRACKETS) - (token.text in BRACKETS.values())


def bare_numbers(code: Sequence[Token]) -> list[Token]:
    """Return the numbers of two or more digits, except those that define a named constant."""
    constant = {line for line, tokens in _by_line(code).items() if _defines(tokens)}
    return [
        token
        for token in code
        if token.kind == "number" and token.line not in constant
        if sum(letter.isdigit() for letter in token.text) > 1 or token.text[:2] in ("0x", "0X")
    ]


def _by_line(code: Sequence[Token]) -> dict[int, list[Token]]:
    lines: dict[int, list[Token]] = {}
    for token in code:
        lines.setdefault(token.line, []).append(token)
    return lines


def _defines(line: Sequence[Token]) -> bool:
    """Return whether a line is `local NAME = …` or `module.NAME = …`.

    The value may consist only of numbers and other constants.
    """
    words = [token.text for token in line]
    start = 1 if words[0] == "local" else 2
    if start == 2 and line[0].column:
        return False
    if len(line) < start + 3 or words[start + 1] != "=" or (start == 2 and words[1] != "."):
        return False
    values = line[start + 2 :]
    return _is_constant(line[start]) and all(
        token.kind == "number" or token.text in "+-*/%^()" or _is_constant(token)
        for token in values
    )


def _is_constant(token: Token) -> bool:
    return token.kind == "name" and token.text.isupper()


# -- marks --------------------------------------------------------------------------------------


def faults(app: str, now: Figures) -> list[str]:
    """Return the figures that exceed their limits, each with what to do about it."""
    return [
        f"{app}: {value} {WORDS[name]}, the mark is {most:g}. To mend it: {ADVICE[name]}."
        for name, most in MARKS.items()
        if (value := asdict(now)[name]) > most
    ]


def table(figures: Mapping[str, Figures]) -> list[str]:
    """Return the lines of the table of all apps. The last row is another project's, to compare."""
    rows = [TITLES, *(_row(app, now) for app, now in figures.items()), BULLMQ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(TITLES))]
    return [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip()
        for row in rows
    ]


def _row(app: str, now: Figures) -> tuple[str, ...]:
    rates = (f"{now.sub:.1f}", f"{now.numbers:.1f}", f"{now.short:.1f} %")
    return (app, str(now.files), str(now.lines), *rates, str(now.longest))
