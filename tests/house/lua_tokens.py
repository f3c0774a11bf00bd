"""Lua 5.1 as tokens, and the block around each: enough to measure and check, but not a parser."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

KEYWORDS = {"and", "break", "do", "else", "elseif", "end", "false", "for", "function", "if", "in"}
KEYWORDS |= {"local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while"}
BRACKETS = {"(": ")", "[": "]", "{": "}"}
BLOCKS = {"function": "end", "if": "end", "do": "end", "repeat": "until"}
_CLOSES = BRACKETS | BLOCKS
_TOKEN = re.compile(
    r"""(?P<blank>\s+)
    |(?P<comment>--\[(?P<equals>=*)\[.*?\](?P=equals)\]|--(?!\[=*\[)[^\n]*)
    |(?P<string>\[(?P<level>=*)\[.*?\](?P=level)\]|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
    |(?P<number>(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?!\w))
    |(?P<name>[A-Za-z_]\w*)
    |(?P<sign>\.\.\.|\.\.|[=~<>]=|-(?!-\[=*\[)|\[(?!=*\[)|[+*/%^\#<>=(){}\];:,.])""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)


class LuaSyntaxError(ValueError):
    """The text is not Lua. The message names the line."""


@dataclass(frozen=True)
class Token:
    """A token.

    `kind` is comment, string, number, name, keyword or sign. Lines count from 1, columns from 0.
    """

    kind: str
    text: str
    line: int
    column: int

    @property
    def last_line(self) -> int:
        return self.line + self.text.count("\n")


def tokens(text: str) -> Iterator[Token]:
    """Yield every token, comments included. Raise LuaSyntaxError for text that is no token."""
    place, line, line_begins = 0, 1, 0
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            raise LuaSyntaxError(f"line {line}: not understood: {text[place : place + 20]!r}")
        kind, word = str(found.lastgroup), found[0]
        if kind == "name" and word in KEYWORDS:
            kind = "keyword"
        if kind != "blank":
            yield Token(kind, word, line, place - line_begins)
        if "\n" in word:
            line += word.count("\n")
            line_begins = place + word.rindex("\n") + 1
        place = found.end()


def enclosing(code: Sequence[Token]) -> list[str]:
    """Return for each token the word that opened the innermost block or bracket around it.

    That is an empty text at the outermost level. A bracket, `function` or `if` is outside of what
    it opens, and so is the token that closes it.
    """
    around, open_ = [], [""]
    for token in code:
        word = token.text if token.kind in ("sign", "keyword") else ""
        if word in _CLOSES.values() and _CLOSES.get(open_.pop()) != word:
            raise LuaSyntaxError(f"line {token.line}: '{word}' closes nothing")
        around.append(open_[-1])
        if word in _CLOSES:
            open_.append(word)
    if len(open_) > 1:
        raise LuaSyntaxError(f"'{open_[-1]}' is not closed")
    return around
