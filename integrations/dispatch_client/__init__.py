"""Both sides of docs/reference/dispatch/protocol.md: front-ends and application-server instances.

Imports relatively and needs `websockets` alone, so that it installs by itself under a name of
its own (`pip install ./integrations/dispatch_client` gives `poolsite_dispatch`).
"""

from .errors import DispatchError, NotLinkedError, RefusedError, StoppedError
from .front import FrontEnd, FrontHandler
from .instance import Instance, InstanceHandler
from .settings import Settings

__all__ = [
    "DispatchError",
    "FrontEnd",
    "FrontHandler",
    "Instance",
    "InstanceHandler",
    "NotLinkedError",
    "RefusedError",
    "Settings",
    "StoppedError",
]
