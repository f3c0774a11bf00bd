"""Visitors' tokens: signed, for one visit at one desk, without a user."""

import time

from poolsite.access.rights.changes import bump
from poolsite.access.rights.versions import version_of
from poolsite.access.tokens import VisitorClaims, sign_visitor

LONGEST_SECONDS = 24 * 3600


def visitor_token(*, desk: str, visit: str, account_id: int | None, seconds: int) -> str:
    """Return a resume token for this visit, valid for `seconds` (at most a day). Writes nothing."""
    if not 0 < seconds <= LONGEST_SECONDS:
        raise ValueError("a visitor's token lives between a second and a day")
    claims = VisitorClaims(
        desk=desk,
        visit=visit,
        account_id=account_id,
        version=version_of("visitor", visit),
        expires_at=time.time() + seconds,
    )
    return sign_visitor(claims)


def visitor_end(*, visit: str) -> None:
    """End every token of this visit, in every process; its sockets close (4401)."""
    bump("visitor", visit)
