"""A command is a value: what to run, on which keys, with which arguments, how to read the reply."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from poolsite.hotpath.scripts import Script

T_co = TypeVar("T_co", covariant=True)
Argument = str | int


@dataclass(frozen=True, slots=True)
class Command(Generic[T_co]):
    """One atomic step on one aggregate; run it sync, async or in a batch.

    `keys`: the tag with its braces, then every other key (Script.keys_of builds them); ValueError
    when one is missing or belongs to another aggregate. `read` turns the reply, a flat list of
    strings, into a result. `operation_id` says that the script itself makes a repetition
    harmless (it is also among `args`): only then the runner repeats after a lost reply.
    `gives_back`: a full server is to run it, though not everything that its script does.
    """

    script: Script
    keys: tuple[str, ...]
    args: tuple[Argument, ...]
    read: Callable[[list[str]], T_co]
    operation_id: str | None = None
    gives_back: bool = False

    def __post_init__(self) -> None:
        script, keys = self.script, self.keys
        wanted = len(script.keys)
        if len(keys) != wanted and not (script.more_keys and len(keys) >= wanted - 1):
            raise ValueError(f"{script.title} takes {wanted} keys, not {len(keys)}")
        tag = keys[0]
        if tag[:1] != "{" or tag[-1:] != "}" or len(tag) < 3:
            raise ValueError(f"{script.title}: the first key is the tag, not {tag!r}")
        for key in keys:
            if not key.startswith(tag):
                raise ValueError(f"{script.title}: {key!r} is not a key of {tag}")

    @property
    def tag(self) -> str:
        return self.keys[0]

    def evalsha(self) -> tuple[Argument, ...]:
        """Return the words of the Redis command, with every key: by that a script tells our own
        processes from others (numbers/event).
        """
        return self._call("EVALSHA", self.script.sha1)

    def fcall(self, function: str, *, whole: bool) -> tuple[Argument, ...]:
        """Return the words that call the same operation in a library.

        whole: name every key, as a Cluster needs it while a slot moves; elsewhere the tag is
        enough, and each further key would cost.
        """
        return self._call("FCALL", function, whole=whole)

    def eval(self) -> tuple[Argument, ...]:
        """Return the same with the whole text, for a server that forgot the script."""
        return self._call("EVAL", self.script.text)

    def _call(self, verb: str, what: str, *, whole: bool = True) -> tuple[Argument, ...]:
        keys = self.keys if whole else self.keys[:1]
        return (verb, what, len(keys), *keys, *self.args)
