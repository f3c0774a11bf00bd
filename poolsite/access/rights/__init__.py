"""Rights take effect everywhere within a second.

SQL is the truth. A process may remember a principal for a short while, and hears by Redis
pub/sub when someone's rights changed; while it cannot hear, it remembers nothing. So a revoked
token, an ended session or a lost role is refused by every process, on HTTP and on open sockets,
as soon as the message arrives; the reasons are in docs/reference/access.md.
"""

from poolsite.access.rights.cache import CACHE_SECONDS, principal_of_credential
from poolsite.access.rights.changes import bump, changed
from poolsite.access.rights.hub import HUB, RightsHub
from poolsite.access.rights.versions import version_of
from poolsite.access.rights.watches import Watch, watch

__all__ = [
    "CACHE_SECONDS",
    "HUB",
    "RightsHub",
    "Watch",
    "bump",
    "changed",
    "principal_of_credential",
    "version_of",
    "watch",
]
