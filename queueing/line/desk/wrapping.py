"""The command that prolongs a wrap-up."""

from dataclasses import dataclass

from poolsite.hotpath import Command
from queueing.line.desk.scripts import desk_command


@dataclass(frozen=True, slots=True)
class MoreTime:
    """What became of a wish for more time. `until_ms`: when the wrap-up ends now, 0 = it is over.

    `answer`: ok, repeat (the same wish came before), late, limit, gone, or an error's text.
    """

    answer: str
    until_ms: int = 0

    @property
    def ok(self) -> bool:
        return self.answer in ("ok", "repeat")


def more_time(slug: str, agent: int, until_ms: int) -> Command[MoreTime]:
    """30 s more for the agent's wrap-up that ends at `until_ms`, as the caller has seen it.

    The same end again is the same wish: after a lost reply it may be sent once more.
    """

    def read(reply: list[str]) -> MoreTime:
        return MoreTime(reply[0], int(reply[2]) if len(reply) > 2 else 0)

    return desk_command("more_time", slug, (agent, until_ms), read, str(until_ms))
