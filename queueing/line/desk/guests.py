"""A supervisor in a room: the notice to the history and both sides."""

from poolsite.hotpath import Command
from queueing.line.desk.replies import DeskReply, read_answer
from queueing.line.desk.scripts import desk_command


def guest_tell(slug: str, visit: str, what: str, *, by: str) -> Command[DeskReply]:
    """Report that a supervisor "joined", "left" or "whispered". "no_room": the room has ended."""
    return desk_command("guest", slug, (visit, what, by), read_answer)
