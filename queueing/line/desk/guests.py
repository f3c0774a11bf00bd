"""A supervisor in a room: what the history and both sides are told."""

from poolsite.hotpath import Command
from queueing.line.desk.replies import DeskReply, read_answer
from queueing.line.desk.scripts import desk_command


def guest_tell(slug: str, visit: str, what: str, *, by: str) -> Command[DeskReply]:
    """A supervisor has "joined" or "left" a room, or "whispered"; "no_room": it is no room now."""
    return desk_command("guest", slug, (visit, what, by), read_answer)
