"""What a visitor holds: a token of the visit, and the signed proof of its place in the line."""

from dataclasses import dataclass

from django.core import signing
from django.utils.crypto import salted_hmac

from poolsite.access.services import visitor_token
from queueing.line.models import Desk, Visit

_SALT = "queueing.line.place"
TOKEN_SECONDS = 24 * 3600


@dataclass(frozen=True, slots=True)
class LinePlace:
    """A place in a line. It restores a visit when all other data is lost."""

    desk: str
    visit: str
    queue: int
    priority: int
    arrived_us: int


def sign_place(place: LinePlace) -> str:
    """Return the proof for the visitor.

    It survives a reload, a change of device, and a loss of Redis.
    """
    value = [place.desk, place.visit, place.queue, place.priority, place.arrived_us]
    return signing.dumps(value, salt=_SALT, compress=False)


def read_place(text: str) -> LinePlace | None:
    """Return the place from a proof that we signed within a day, or None."""
    try:
        desk, visit, queue, priority, arrived = signing.loads(
            text, salt=_SALT, max_age=TOKEN_SECONDS
        )
    except (signing.BadSignature, ValueError, TypeError):
        return None
    return LinePlace(str(desk), str(visit), int(queue), int(priority), int(arrived))


def token_for(visit: Visit) -> str:
    """Return the resume token of a visit. It grants access to this visit only."""
    return visitor_token(
        desk=visit.desk.slug,
        visit=visit.public_id,
        account_id=visit.desk.account_id,
        seconds=TOKEN_SECONDS,
    )


def visitor_key(desk: Desk, said: str, *, by_machine: bool) -> str:
    """Return the stored form of a visitor's own random text, or "" for none.

    It identifies a returning visitor. It is hashed with the desk, so that two desks cannot compare
    keys, and a page cannot imitate a program's key.
    """
    if not said:
        return ""
    whole = f"{desk.pk} {'machine' if by_machine else 'page'} {said}"
    return salted_hmac("queueing.line.visitor", whole, algorithm="sha256").hexdigest()
