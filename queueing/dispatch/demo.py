"""The demo's group: SIP-like front-ends with four instances, which request numbers from a pool."""

from typing import Any

from poolsite.people.demo import token_anew
from poolsite.runtime.demo_data import ACTOR, DemoData, read_simulation
from queueing.dispatch.models import Group
from queueing.dispatch.services import group_create

KEY = "groups"
SLUG, NAME = "asi", "Application servers"
TOKEN_NAME = "demo peers"  # noqa: S105  a name
TIMES: dict[str, Any] = {"heartbeat_seconds": 2, "missed_limit": 3, "disconnect_seconds": 30}
SMALL_TIMES: dict[str, Any] = {"heartbeat_seconds": 1, "missed_limit": 2, "disconnect_seconds": 8}
FRONTS = (("sip-1", "SIP"), ("sip-2", "SIP"), ("bicc-1", "BICC"))
INSTANCES = ("as-1", "as-2", "as-3", "as-4")


def make_group(data: DemoData) -> None:
    """Create a group without links. `simulation["groups"]` describes the peers to simulate."""
    group = Group.objects.filter(slug=SLUG).first() or group_create(
        actor=ACTOR,
        slug=SLUG,
        name=NAME,
        account=data.accounts.get("careline"),
        **(SMALL_TIMES if data.small else TIMES),
    )
    known = next((each for each in read_simulation().get(KEY, []) if each["slug"] == SLUG), None)
    data.simulation[KEY] = [
        {
            "slug": SLUG,
            "token": known["token"] if known else _token(group),
            "fronts": [{"id": peer_id, "profile": profile} for peer_id, profile in FRONTS],
            "instances": list(INSTANCES),
            "version": "1.0",
            "capacity": 60,
            "session_seconds": 4.0 if data.small else 20.0,
            "sessions_per_second": 3.0,
            **data.simulation.get("caller", {}),
        }
    ]


def _token(group: Group) -> str:
    return token_anew(
        TOKEN_NAME,
        group.account,
        resources=[f"group:{group.slug}"],
        actions=["dispatch.link", "dispatch.view"],
    )
