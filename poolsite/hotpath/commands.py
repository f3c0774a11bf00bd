"""A command as a value: the script, its keys and arguments, and how to read the reply."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from poolsite.hotpath.scripts import Script

T_co = TypeVar("T_co", covariant=True)
Argument = str | int


@dataclass(frozen=True, slots=True)
class Command(Generic[T_co]):
    """One atomic step on one aggregate. Run it sync, async or in a batch.

    `keys`: the tag with its braces, then every other key (Script.keys_of builds them). Raise
    ValueError if a key is missing or belongs to another aggregate. `read` turns the reply, a flat
    list of strings, into a result. `operation_id` means that the script itself makes a repetition
    harmless (the ID is also in `args`): only then the runner repeats the command after a lost
    reply. `gives_back`: a server without memory is to run the command, though perhaps only a part
    of what its script does.
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
        """Return the arguments of EVALSHA, with every key. A script recognizes our own processes by
        the keys (numbers/event).
        """
        return self._call("EVALSHA", self.script.sha1)

    def fcall(self, function: str, *, whole: bool) -> tuple[Argument, ...]:
        """Return the arguments of FCALL for the same operation in a library.

        whole: name every key, as a Cluster needs it while a slot moves. Elsewhere the tag is
        enough, and each more key would cost time.
        """
        return self._call("FCALL", function, whole=whole)

    def eval(self) -> tuple[Argument, ...]:
        """Like `evalsha`, with the whole text, for a server that no longer has the script."""
        return self._call("EVAL", self.script.text)

    def _call(self, verb: str, what: str, *, whole: bool = True) -> tuple[Argument, ...]:
        keys = self.keys if whole else self.keys[:1]
        return (verb, what, len(keys), *keys, *self.args)
