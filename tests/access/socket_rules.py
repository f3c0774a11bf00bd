"""Who may open which websocket: a row for each route of the application.

A socket without a row fails `test_every_socket`. `open`: accepted, and stays open. A number: closed
with that code. `refused`: not accepted (HTTP 403). Readers are those of tests/access/answers.py.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from billing.models import Wallet
from numbers.models import Pool
from queueing.dispatch.models import Group
from tests.access.world import World


@dataclass(frozen=True)
class SocketRule:
    """A row of the table."""

    answers: Mapping[str, str]
    path: Callable[[World], str] | str = ""


def _pool_events(world: World) -> str:
    Pool.objects.get_or_create(slug="own-pool", account=world.own)
    return "/ws/pools/own-pool/events/"


def _balance(world: World) -> str:
    Wallet.objects.get_or_create(account=world.own)
    return "/ws/accounts/own/balance/"


def _group_link(world: World) -> str:
    Group.objects.get_or_create(slug="own-group", account=world.own)
    return "/ws/dispatch/own-group/front/"


RULES = {
    r"^ws/live/$": SocketRule({"nobody": "4401", "*": "open"}, path="/ws/live/"),
    # Sessions don't count here: it waits 10 s for a visitor's token, and shows nothing before that.
    r"^ws/live/visitor/$": SocketRule({"*": "open"}, path="/ws/live/visitor/"),
    # For switches, which use a token (tests/numbers/test_consumers*.py). Among people,
    # only those who may send events may open it.
    r"^ws/pools/(?P<slug>[a-z0-9-]{1,40})/events/$": SocketRule(
        {"nobody": "4401", "operate": "open", "foreign": "4404", "roleless": "4404", "*": "4403"},
        path=_pool_events,
    ),
    # For front-ends and instances, which also use a token (tests/dispatch).
    r"^ws/dispatch/(?P<slug>[a-z0-9-]{1,40})/(?P<side>front|back)/$": SocketRule(
        {"nobody": "4401", "operate": "open", "foreign": "4404", "roleless": "4404", "*": "4403"},
        path=_group_link,
    ),
    r"^ws/accounts/(?P<slug>[a-z0-9-]{1,40})/balance/$": SocketRule(
        {
            "nobody": "4401",
            "foreign": "4404",
            "roleless": "4404",
            "agent": "4403",
            "supervisor": "4403",
            "*": "open",
        },
        path=_balance,
    ),
}
