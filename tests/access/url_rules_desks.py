"""The rows of tests/access/url_rules.py for the desks of the waiting line."""

from collections.abc import Callable

from poolsite import hotpath
from queueing.line import desk as door
from queueing.line.models import Desk
from tests.access.world import World

_OWN = ("owner", "admin", "supervisor")
LISTED = {
    "nobody": "login",
    "operators": "ok",
    **dict.fromkeys((*_OWN, "foreign"), "ok"),
    "*": "no",
}
SEEN = {**LISTED, "foreign": "hidden", "roleless": "hidden"}
SUPERVISED = {
    **SEEN,
    "owner": "no",
    "operators": "no",
    **dict.fromkeys(("operate", "supervise"), "ok"),
}


def of_desk(part: str) -> Callable[[World], str]:
    """An address of a desk of the account `own`."""

    def make(world: World) -> str:
        desk, made = Desk.objects.get_or_create(slug="own-desk", account=world.own, name="Own")
        if made:
            hotpath.run(door.create("own-desk", desk.generation))
        return f"/desks/own-desk/{part}"

    return make
