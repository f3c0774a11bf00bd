"""Places that are kept for visitors who are away."""

from poolsite.hotpath import Command
from queueing.line.desk.replies import Standing, read_standing
from queueing.line.desk.scripts import desk_command


def hold(slug: str, visit: str, seconds: int) -> Command[Standing]:
    """Where the visit stands; one who is away keeps the place for so long from now.

    1 to 3,600 seconds; a longer time that was set before stays.
    """
    return desk_command("hold", slug, (visit, str(seconds * 1_000)), read_standing, visit)
