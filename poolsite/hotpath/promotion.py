"""A server that was promoted from a replica may lack data that its primary had acknowledged.

SQL shows that only later, and never for entries that no drain had taken yet. So a connection to a
promoted server runs `hotpath/promoted` on each aggregate before its first command. Both go out in
one pipeline, so no other command of ours comes between them. A server that was never promoted costs
one INFO per connection. Cluster nodes are left out: slots move between nodes with different
histories.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from poolsite.hotpath.commands import Argument
from poolsite.hotpath.replies import ErrorReply, Failure
from poolsite.hotpath.scripts import load_folder

ASK: tuple[Argument, ...] = ("INFO", "replication")
REPLICA = "a replica"
_SCRIPT = load_folder("hotpath", Path(__file__).parent / "lua")["promoted"]
_NO_PROMOTION = "0" * 40


def info_fields(info: str) -> dict[str, str]:
    """Return the fields of an INFO reply that was read over a bare connection."""
    return dict(line.partition(":")[::2] for line in info.splitlines())


def lineage_of(info: str) -> str:
    """Read INFO replication: which promotion made this server a master, or "" if there was none.

    Return REPLICA for a server that is not a master: what it will lack is not decided yet.
    """
    fields = info_fields(info)
    if fields.get("role", "master") != "master":
        return REPLICA
    before = fields.get("master_replid2", _NO_PROMOTION)
    if before == _NO_PROMOTION:
        return ""
    return f"{before}:{fields.get('second_repl_offset', '')}"


def words_to_close(tag: str, lineage: str) -> tuple[Argument, ...]:
    """Return the command that closes an aggregate until it is rebuilt, once for each lineage."""
    return ("EVAL", _SCRIPT.text, 2, tag, f"{tag}:lineage", lineage)


@dataclass
class Guard:
    """One connection's record of the aggregates that it has notified of the promotion."""

    lineage: str = ""
    met: set[str] = field(default_factory=set)

    def words_before(self, commands: Sequence[tuple[Argument, ...]]) -> list[tuple[Argument, ...]]:
        """Return the commands that must be sent before these. Usually there are none."""
        if self.lineage in ("", REPLICA):
            return []
        new = {tag for tag in map(_tag_of, commands) if tag and tag not in self.met}
        return [words_to_close(tag, self.lineage) for tag in sorted(new)]

    def note(self, words: Iterable[tuple[Argument, ...]], replies: Iterable[Any]) -> None:
        """Remember the aggregates that were notified. A failed notification is sent again."""
        for its, reply in zip(words, replies, strict=False):
            if not isinstance(reply, Failure | ErrorReply):
                self.met.add(str(its[3]))


def _tag_of(words: tuple[Argument, ...]) -> str:
    return str(words[3]) if words[0] in ("FCALL", "EVALSHA", "EVAL") and len(words) > 3 else ""
