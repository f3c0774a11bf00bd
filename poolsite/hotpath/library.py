"""The operations of one app as a FUNCTION library (Redis 7, Valkey).

Redis compiles a library once and stores it with the data, while EVALSHA creates every local
function again at each call. A library has the same source files as the scripts. Its name and the
names of its functions end in a digest of its text, so that the libraries of several releases exist
side by side and each process calls its own. Deleting a library is harmless: its processes load it
again.

Operations that other programs call directly in Redis are in a second library of their app. Its
names stay the same over all releases, and its replies are lists, as those of scripts are.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Any

from poolsite import changes
from poolsite.hotpath.commands import Command
from poolsite.hotpath.errors import AggregateRefused, ScriptHeaderError, Unavailable
from poolsite.hotpath.header import RUNS, RUNS_GIVING_BACK
from poolsite.hotpath.modules import DIRECT, as_local
from poolsite.hotpath.rights import commands_of
from poolsite.hotpath.scripts import Script, code_of, made_of_scripts, prelude_for, registered

PREFIX = "poolsite_"
_BACK = "_back"
_WORD = re.compile(r"\w+")
SEPARATOR = "\x1f"  # ends each string of a reply
# All other commands may write. A replica refuses functions with them before the first line, and so
# does a server without memory, unless the operation's header says that it runs there.
READING = frozenset(
    (
        *("exists", "get", "hexists", "hget", "hgetall", "hkeys", "hlen", "hmget", "hscan"),
        *("lindex", "llen", "lrange", "time", "xlen", "xrange", "zcard", "zcount", "zlexcount"),
        *("zrange", "zrangebylex", "zrangebyscore", "zrank", "zscan", "zscore"),
    )
)
# Redis 7.0 hides all but `redis.register_function` while a library loads, so the names are bound at
# the first call. As locals they also cost less than globals.
_GLOBALS = ("redis", "string", "table", "math", "tonumber", "ipairs", "pairs", "unpack", "select")
_PACKED, _AS_IT_IS = "packed(operation(keys, arguments))", "operation(keys, arguments)"
_FRAME = f"""\
local register_function = redis.register_function
local function globals() return <globals> end
local <locals>, register
do
  local function packed(reply)
    if reply.err or #reply == 0 then return reply end
    return table.concat(reply, '\\31') .. '\\31'
  end
  function register(name, operation, flags)
    local function callback(keys, arguments)
      if not redis then <locals> = globals() end
      return {_PACKED}
    end
    register_function({{ function_name = name .. SUFFIX, flags = flags, callback = callback }})
  end
end
"""


@dataclass(frozen=True)
class Library:
    """One app's library: its name, and the text for FUNCTION LOAD."""

    name: str
    text: str
    suffix: str  # "" for names that stay over all releases

    @property
    def load(self) -> tuple[str, ...]:
        """The arguments of FUNCTION LOAD. A library of the same name is replaced."""
        return ("FUNCTION", "LOAD", *(() if self.suffix else ("REPLACE",)), self.text)

    def function(self, script: Script, *, gives_back: bool = False) -> str:
        """Return the name of the function that runs `script`.

        gives_back: if the script has two functions, return the one that a server without memory
        runs too.
        """
        back = _BACK if gives_back and script.full_server == RUNS_GIVING_BACK else ""
        return f"{script.app}_{script.name}{back}{self.suffix}"


def library_of(script: Script) -> Library | None:
    """Return the library that holds a script, or None for a script without modules."""
    if not script.modules.names:
        return None
    found: Library | None = made_of_scripts.get(script.app)
    if found is None:
        scripts = tuple(each for each in registered().values() if each.app == script.app)
        found = _library(script.app, scripts, tuple(each.text for each in scripts))
        made_of_scripts[script.app] = found
    return found


def libraries() -> list[Library]:
    """Return the libraries of all registered scripts, including those with fixed names."""
    found = (library_of(script) for script in registered().values())
    ours = {each.name: each for each in found if each is not None}
    return [*ours.values(), *direct_libraries()]


def direct_libraries() -> list[Library]:
    """Return the libraries that other programs call. Their names stay over all releases."""
    direct = (script for script in registered().values() if script.direct)
    found = []
    for app, group in groupby(direct, key=lambda script: script.app):
        scripts = tuple(group)
        found.append(_library(app, scripts, tuple(each.text for each in scripts), ours=False))
    return found


def read_packed(reply: str) -> list[str]:
    """Return the strings of a function's reply."""
    return reply[:-1].split(SEPARATOR)


@cache
def _library(
    app: str, scripts: tuple[Script, ...], _texts: tuple[str, ...], *, ours: bool = True
) -> Library:
    """Put the scripts of one app into a library. Raise ScriptHeaderError if their versions differ.

    `_texts` is only a part of the cache key, because tests change the scripts' texts. ours: only
    our own processes call the library.
    """
    if len({script.version for script in scripts}) != 1:
        raise ScriptHeaderError(f"{app}: all operations of a library have one Version")
    modules = scripts[0].modules
    codes = [code_of(script.body) for script in scripts]
    shared = modules.library_lines(modules.needed_by(codes))
    flags = {"VERSION": str(scripts[0].version), "IS_FUNCTION": "true"}
    flags["CALLED_BY_US"] = str(ours).lower()
    lines = [
        *map(modules.as_locals, prelude_for([*codes, *shared])),
        *shared,
        *(_operation(script) for script in scripts),
    ]
    text = "\n".join([_frame(lines, ours), *lines]) + "\n"
    text = _WORD.sub(lambda word: flags.get(word[0], word[0]), text)
    digest = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()
    suffix = f"_{digest[:12]}" if ours else ""
    name = f"{PREFIX}{app}{suffix}"
    return Library(name, f"#!lua name={name}\nlocal SUFFIX = '{suffix}'\n{text}", suffix)


def _frame(lines: list[str], ours: bool) -> str:
    """Return what comes before a library's lines. It binds the global names that they use."""
    frame = _FRAME if ours else _FRAME.replace(_PACKED, _AS_IT_IS)
    named = set(_WORD.findall("\n".join([frame, *lines])))
    bound = [name for name in (*_GLOBALS, *sorted(DIRECT)) if as_local(name) in named]
    return frame.replace("<locals>", ", ".join(map(as_local, bound))).replace(
        "<globals>", ", ".join(bound)
    )


def note_changes(commands: Sequence[Command[Any]], outcomes: Sequence[Any]) -> None:
    """Notify the watcher if one of the commands, which had these outcomes, may have written."""
    if changes.is_watched() and any(map(_may_have_written, commands, outcomes)):
        changes.note()


def _may_have_written(command: Command[Any], outcome: Any) -> bool:
    if isinstance(outcome, Unavailable | AggregateRefused):
        return False
    return not only_reads(command.script)


@cache
def only_reads(script: Script) -> bool:
    """Return whether the script calls no command that writes."""
    return commands_of(script) <= READING


def _operation(script: Script) -> str:
    """Return a script's body as a function, with comments, so that FUNCTION LIST is readable."""
    name, flags = f"{script.app}_{script.name}", ""
    if only_reads(script):
        flags = "'no-writes'"
    elif script.full_server == RUNS:
        flags = "'allow-oom'"
    registered_as = [f"register('{name}', operation, {{ {flags} }})"]
    if script.full_server == RUNS_GIVING_BACK:
        registered_as.append(f"register('{name}{_BACK}', operation, {{ 'allow-oom' }})")
    return (
        "do local operation = function(KEYS, ARGV)\n"
        f"{script.modules.as_locals(script.body.rstrip())}\n"
        f"end {' '.join(registered_as)} end"
    )
