"""Places that are held for visitors who are away."""

from poolsite.hotpath import Command
from queueing.line.desk.replies import Standing, read_standing
from queueing.line.desk.scripts import desk_command


def hold(slug: str, visit: str, seconds: int) -> Command[Standing]:
    """Return the visit's current state. If its visitor is away, hold the place from now.

    seconds: 1 to 3,600. A longer hold that was set before stays.
    """
    return desk_command("hold", slug, (visit, str(seconds * 1_000)), read_standing, visit)
