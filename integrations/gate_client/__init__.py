"""Clients of an admission gate, and the check of its signed permits.

Imports relatively, so that it installs by itself under a name of its own
(`pip install ./integrations/gate_client` gives `poolsite_gate`). `Gate` and `Device` need httpx,
which is imported when one of them is first named: `Verifier` runs with the standard library.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .errors import (
    GateError,
    PermitLost,
    Refused,
    RejectedError,
    TaskFailed,
    UnreachableError,
)
from .holder import Permit
from .tasks import Task, Told
from .verifier import InvalidPermit, MemoryStore, SignedPermit, TokenStore, Verifier

if TYPE_CHECKING:
    from .device import AsyncDevice, Device
    from .gate import AsyncGate, Gate

__all__ = [
    "AsyncDevice",
    "AsyncGate",
    "Device",
    "Gate",
    "GateError",
    "InvalidPermit",
    "MemoryStore",
    "Permit",
    "PermitLost",
    "Refused",
    "RejectedError",
    "SignedPermit",
    "Task",
    "TaskFailed",
    "TokenStore",
    "Told",
    "UnreachableError",
    "Verifier",
]

_WITH_HTTPX = {
    "AsyncDevice": ".device",
    "AsyncGate": ".gate",
    "Device": ".device",
    "Gate": ".gate",
}


def __getattr__(name: str) -> Any:
    module = _WITH_HTTPX.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(module, __name__), name)
