"""What a visitor holds: a token for the visit, and the signed proof of its place in the line."""

from dataclasses import dataclass

from django.core import signing
from django.utils.crypto import salted_hmac

from poolsite.access.services import visitor_token
from queueing.line.models import Desk, Visit

_SALT = "queueing.line.place"
TOKEN_SECONDS = 24 * 3600


@dataclass(frozen=True, slots=True)
class LinePlace:
    """A place in a line: what brings a visit back when everything else forgot it."""

    desk: str
    visit: str
    queue: int
    priority: int
    arrived_us: int


def sign_place(place: LinePlace) -> str:
    """The proof that goes to the visitor; it survives reload, tab, device, and Redis."""
    value = [place.desk, place.visit, place.queue, place.priority, place.arrived_us]
    return signing.dumps(value, salt=_SALT, compress=False)


def read_place(text: str) -> LinePlace | None:
    """The place of a proof of ours that is at most a day old; None otherwise."""
    try:
        desk, visit, queue, priority, arrived = signing.loads(
            text, salt=_SALT, max_age=TOKEN_SECONDS
        )
    except (signing.BadSignature, ValueError, TypeError):
        return None
    return LinePlace(str(desk), str(visit), int(queue), int(priority), int(arrived))


def token_for(visit: Visit) -> str:
    """The resume token of a visit: for its own socket, its own calls, and nothing else."""
    return visitor_token(
        desk=visit.desk.slug,
        visit=visit.public_id,
        account_id=visit.desk.account_id,
        seconds=TOKEN_SECONDS,
    )


def visitor_key(desk: Desk, said: str, *, by_machine: bool) -> str:
    """What a visit keeps of a visitor's own random text, to know the visitor again; "" = of none.

    Hashed with the desk, so that no two desks can compare; a page cannot say a machine's.
    """
    if not said:
        return ""
    whole = f"{desk.pk} {'machine' if by_machine else 'page'} {said}"
    return salted_hmac("queueing.line.visitor", whole, algorithm="sha256").hexdigest()
