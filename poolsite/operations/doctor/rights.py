"""The commands that Poolsite needs and its Redis user may not run. Redis 7 can report them."""

from typing import Any, Final

from redis.exceptions import RedisError

from poolsite import hotpath
from poolsite.hotpath import Argument

KEY: Final = "{doctor}"  # not a name of any aggregate: our user needs access to every key
SHA = "0" * 40
# The commands that processes send themselves, in addition to those in scripts.
OWN: Final[tuple[tuple[Argument, ...], ...]] = (
    ("EVALSHA", SHA, "1", KEY),
    ("SCRIPT", "LOAD", "return 1"),
    ("FCALL", "doctor", "1", KEY),
    ("FUNCTION", "LOAD", "doctor"),
    ("FUNCTION", "LIST"),
    ("SUBSCRIBE", "doctor"),
    ("PUBLISH", "doctor", "1"),
    ("GETDEL", KEY),
    ("XREAD", "COUNT", "1", "STREAMS", KEY, "0"),
    ("BRPOP", KEY, "1"),
    ("MULTI",),
    ("EXEC",),
    ("INFO",),
)


def refused_commands(client: Any, user: str) -> tuple[str, ...] | None:
    """Return each refusal once, or None if the server can't tell (before Redis 7)."""
    needed = sorted(
        {name for s in hotpath.registered().values() for name in hotpath.commands_of(s)}
    )
    try:
        known = client.execute_command("COMMAND", "INFO", *needed)
        words = [_words(name, known[name]["arity"]) for name in needed if name in known]
        return _dry_run(client, user, [*words, *OWN])
    except RedisError:
        return None


def _words(name: str, arity: int) -> tuple[Argument, ...]:
    """Return the command with the fewest arguments that it accepts."""
    return (name.upper(), *[KEY] * (abs(arity) - 1))


def _dry_run(
    client: Any, user: str, commands: list[tuple[Argument, ...]]
) -> tuple[str, ...] | None:
    refusals = []
    with client.pipeline(transaction=False) as pipeline:
        for words in commands:
            pipeline.execute_command("ACL", "DRYRUN", user, *words)
        answers = pipeline.execute(raise_on_error=False)
    for words, answer in zip(commands, answers, strict=True):
        if isinstance(answer, RedisError):
            if "not found" not in str(answer):
                raise answer
        elif answer != "OK":
            refusals.append(_refusal(words, str(answer)))
    return tuple(dict.fromkeys(refusals))


def _refusal(words: tuple[Argument, ...], answer: str) -> str:
    if f"'{KEY}' key" in answer:
        return "all keys (~*)"
    if "channel" in answer:
        return "all channels (&*)"
    name = str(words[0]).lower()
    return f"{name}|{str(words[1]).lower()}" if name in ("script", "function") else name
