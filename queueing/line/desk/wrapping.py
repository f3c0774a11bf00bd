"""The command that extends a wrap-up."""

from dataclasses import dataclass

from poolsite.hotpath import Command
from queueing.line.desk.scripts import desk_command


@dataclass(frozen=True, slots=True)
class MoreTime:
    """The result of an extension. `until_ms`: when the wrap-up ends now, or 0 if it is over.

    `answer`: ok, repeat (the same request came before), late, limit, gone, or an error's text.
    """

    answer: str
    until_ms: int = 0

    @property
    def ok(self) -> bool:
        return self.answer in ("ok", "repeat")


def more_time(slug: str, agent: int, until_ms: int) -> Command[MoreTime]:
    """Extend by 30 s the agent's wrap-up that ends at `until_ms`, as the caller has seen it.

    The same end makes the same request, so it may be sent again after a lost reply.
    """

    def read(reply: list[str]) -> MoreTime:
        return MoreTime(reply[0], int(reply[2]) if len(reply) > 2 else 0)

    return desk_command("more_time", slug, (agent, until_ms), read, str(until_ms))
