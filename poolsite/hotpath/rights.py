"""The rights that a script needs in Redis, read from its text so that no list gets out of date.

Redis checks every command inside a script against the rights of the user who runs the script, so a
user who may run a script must be allowed all of its commands, keys and channels.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from poolsite.hotpath.errors import ScriptHeaderError
from poolsite.hotpath.scripts import Script

# Comments first, then strings, names with their dots, `..`, and single characters.
_TOKEN = re.compile(
    r"--\[\[.*?\]\]|--[^\n]*|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\""
    r"|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*|\.\.|\d+|[^\s]",
    re.DOTALL,
)
_CALLS = frozenset({"redis.call", "redis.pcall"})
_TAG = ("KEYS", "[", "1", "]")
_NAMES_TAG = re.compile(r"(\b|_)tag$")  # a variable called `tag`, or a module's: `pool.tag`


@dataclass(slots=True)
class _Reader:
    """Walks once through a script's tokens. Raises an error for anything uncertain."""

    title: str
    tokens: list[str]
    callers: set[str] = field(default_factory=lambda: set(_CALLS))
    tags: set[str] = field(default_factory=set)
    commands: set[str] = field(default_factory=set)
    channels: list[tuple[str, ...]] = field(default_factory=list)

    def fail(self, reason: str) -> ScriptHeaderError:
        return ScriptHeaderError(f"{self.title}: its rights cannot be read: {reason}")

    def read(self) -> None:
        declared = set(self._declarations())
        for place, word in enumerate(self.tokens):
            if word not in self.callers or place in declared:
                continue
            follows = self.tokens[place + 1 : place + 2]
            if follows == ["("]:
                self._read_call(place + 2)
            elif follows != ["="]:  # `call = 1` is a field of a table
                raise self.fail(f"{word} is used as a value")

    def _declarations(self) -> Iterator[int]:
        """Learn `local call, sub = redis.call, string.sub` and `local POOL = KEYS[1]`. Yield the
        positions of names and values that are not calls.
        """
        for place, word in enumerate(self.tokens):
            if word != "local" or self.tokens[place + 1] == "function":
                continue
            names, at = self._list(place + 1)
            if self.tokens[at : at + 1] != ["="]:
                continue
            values, end = self._list(at + 1)
            for name, value in zip(names, values, strict=False):
                if value == ("redis.call",) or value == ("redis.pcall",):
                    self.callers.update(name)
                    yield from range(place, end)
                elif value == _TAG:
                    self.tags.update(name)

    def _list(self, at: int) -> tuple[list[tuple[str, ...]], int]:
        """Return expressions without calls, separated by commas, and the position of their end."""
        found: list[tuple[str, ...]] = []
        while True:
            size = 4 if tuple(self.tokens[at : at + 4]) == _TAG else 1
            one = tuple(self.tokens[at : at + size])
            at += size
            called = self.tokens[at : at + 1] == ["("]
            found.append(() if called else one)  # the result of a call is not a name for the call
            if self.tokens[at : at + 1] != [","]:
                return found, at
            at += 1

    def _read_call(self, at: int) -> None:
        name = self.tokens[at]
        if name[0] not in "'\"" or self.tokens[at + 1] not in (",", ")"):
            raise self.fail(f"the command is not a plain text but {name}")
        self.commands.add(name[1:-1].lower())
        if name[1:-1].upper() == "PUBLISH":
            end = self.tokens.index(",", at + 2)
            self.channels.append(tuple(self.tokens[at + 2 : end]))

    def channel(self, tokens: tuple[str, ...], tag: str) -> str:
        """Return the name of a channel: a text, or the tag followed by a text."""
        start = 4 if tokens[:4] == _TAG else 1
        is_tag = start == 4 or tokens[0] in self.tags or _NAMES_TAG.search(tokens[0])
        text = tag if is_tag else _plain(tokens[0])
        rest = tokens[start:]
        behind = _plain(rest[1]) if len(rest) == 2 and rest[0] == ".." else None if rest else ""
        if text is None or behind is None:
            raise self.fail(f"the channel {' '.join(tokens)} is known only when it runs")
        return text + behind


def _plain(token: str) -> str | None:
    """Return the text between the quotes, or None if the token is not a string."""
    return token[1:-1] if token[0] in "'\"" else None


def commands_of(script: Script) -> frozenset[str]:
    """Return the Redis commands that `script` may call, in lower case.

    Raise ScriptHeaderError if a command is not a plain text in the script.
    """
    return frozenset(_read(script).commands)


def channels_of(script: Script, tag: str) -> frozenset[str]:
    """Return the channels on which `script` may publish for the aggregate `tag` (with its braces).

    Raise ScriptHeaderError if a name is built from more than the tag and plain texts.
    """
    reader = _read(script)
    return frozenset(reader.channel(found, tag) for found in reader.channels)


def _read(script: Script) -> _Reader:
    tokens = [token for token in _TOKEN.findall(script.named_text) if not token.startswith("--")]
    reader = _Reader(script.title, tokens)
    reader.read()
    return reader
