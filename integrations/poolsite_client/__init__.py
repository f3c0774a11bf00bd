"""A client of the platform's interface: calls, messages, permits and the waiting line.

Each class stands for one object of the platform (a pool, an account, a gate, a queue …) and has
blocking calls. The class with `Async` before its name does the same for asyncio. The package uses
relative imports, so that it can be installed on its own
(`pip install ./integrations/poolsite_client`). All classes except `Verifier` need httpx, which is
imported when one of them is first used: `Verifier` needs only the standard library.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .errors import (
    PermitLost,
    PoolsiteError,
    Refused,
    RejectedError,
    TaskFailed,
    UnreachableError,
)
from .verifier import InvalidPermit, MemoryStore, SignedPermit, TokenStore, Verifier

if TYPE_CHECKING:
    from .calls import EventResult, LiveResult
    from .device import AsyncDevice, Device
    from .gate import AsyncGate, Gate
    from .holder import Permit
    from .line import Agent, AsyncAgent, AsyncQueue, AsyncVisit, Queue, Visit
    from .messages import Balance, Message, MessageResult
    from .pool import AsyncPool, Pool
    from .tasks import Task, Told
    from .visits import AgentState, Room, Said, Standing
    from .wallet import AsyncWallet, Wallet

_MODULES = {
    "calls": ("EventResult", "LiveResult"),
    "device": ("AsyncDevice", "Device"),
    "gate": ("AsyncGate", "Gate"),
    "holder": ("Permit",),
    "line": ("Agent", "AsyncAgent", "AsyncQueue", "AsyncVisit", "Queue", "Visit"),
    "messages": ("Balance", "Message", "MessageResult"),
    "pool": ("AsyncPool", "Pool"),
    "tasks": ("Task", "Told"),
    "visits": ("AgentState", "Room", "Said", "Standing"),
    "wallet": ("AsyncWallet", "Wallet"),
}
_WHERE = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "Agent",
    "AgentState",
    "AsyncAgent",
    "AsyncDevice",
    "AsyncGate",
    "AsyncPool",
    "AsyncQueue",
    "AsyncVisit",
    "AsyncWallet",
    "Balance",
    "Device",
    "EventResult",
    "Gate",
    "InvalidPermit",
    "LiveResult",
    "MemoryStore",
    "Message",
    "MessageResult",
    "Permit",
    "PermitLost",
    "Pool",
    "PoolsiteError",
    "Queue",
    "Refused",
    "RejectedError",
    "Room",
    "Said",
    "SignedPermit",
    "Standing",
    "Task",
    "TaskFailed",
    "TokenStore",
    "Told",
    "UnreachableError",
    "Verifier",
    "Visit",
    "Wallet",
]


def __getattr__(name: str) -> Any:
    module = _WHERE.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{module}", __name__), name)
