"""A client for both sides of docs/reference/dispatch/protocol.md: front-ends and instances.

An instance is an application server. The package uses relative imports and needs only `websockets`,
so that it can be installed on its own under another name
(`pip install ./integrations/dispatch_client` installs `poolsite_dispatch`).
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
