"""Both sides of docs/reference/dispatch/protocol.md: front-ends and application-server instances.

Imports relatively and needs `websockets` alone, so that it installs by itself under a name of
its own (`pip install ./integrations/dispatch_client` gives `poolsite_dispatch`).
"""

from .blocking import (
    BlockingFrontEnd,
    BlockingFrontHandler,
    BlockingInstance,
    BlockingInstanceHandler,
    BlockingSent,
)
from .errors import (
    DispatchError,
    NotLinkedError,
    NotStartedError,
    RefusedError,
    StoppedError,
    UnknownOutcomeError,
)
from .front import FrontEnd
from .handlers import FrontHandler, InstanceHandler
from .instance import Instance
from .outcomes import Outcome, Sent, Started
from .settings import Settings

__all__ = [
    "BlockingFrontEnd",
    "BlockingFrontHandler",
    "BlockingInstance",
    "BlockingInstanceHandler",
    "BlockingSent",
    "DispatchError",
    "FrontEnd",
    "FrontHandler",
    "Instance",
    "InstanceHandler",
    "NotLinkedError",
    "NotStartedError",
    "Outcome",
    "RefusedError",
    "Sent",
    "Settings",
    "Started",
    "StoppedError",
    "UnknownOutcomeError",
]
