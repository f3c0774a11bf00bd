"""The only interface to a group's Lua scripts: key names, commands, results, reasons.

    routed = hotpath.run(dispatcher.start("calls", "f:sip-1", link, 7, "4711", body="{}"))

`register.py`, `listener.py`, `route_map.py` and `router.py` are the four parts of the dispatcher.
`groups.py` has a group's lifecycle and its manual states, `reading.py` the commands that only read.
"""

from queueing.dispatch.dispatcher import reasons
from queueing.dispatch.dispatcher.changes import EVENTS, GroupChange, read_change
from queueing.dispatch.dispatcher.groups import (
    Changed,
    NameState,
    backup,
    configure,
    create,
    destroy,
    forget_name,
    manual,
    recover,
    uneject,
    upgrade_flag,
)
from queueing.dispatch.dispatcher.keys import (
    ID,
    GroupKeys,
    back,
    front,
    id_of,
    is_front,
    process_channel,
)
from queueing.dispatch.dispatcher.listener import (
    HEARD_LIMIT,
    VISIT_SECONDS,
    GroupSwept,
    Heard,
    ack,
    disconnect,
    heard,
    lost,
    sweep,
)
from queueing.dispatch.dispatcher.profiles import PROFILES
from queueing.dispatch.dispatcher.reading import (
    PEERS_LIMIT,
    GroupFigures,
    OutboxEntry,
    PeerRow,
    names,
    outbox,
    peers,
    read_entry,
    show,
)
from queueing.dispatch.dispatcher.reasons import DispatchRefusedError
from queueing.dispatch.dispatcher.register import Registered, offer, register_back, register_front
from queueing.dispatch.dispatcher.route_map import (
    ExplainedRoute,
    IfBlocked,
    Route,
    RoutePage,
    explain,
    resync,
    route,
    sessions_of,
)
from queueing.dispatch.dispatcher.router import (
    Routed,
    clear,
    deliver,
    end,
    end_session,
    message,
    start,
)
from queueing.dispatch.dispatcher.scripts import SCRIPTS
from queueing.dispatch.dispatcher.settings import GroupSettings

__all__ = [
    "EVENTS",
    "HEARD_LIMIT",
    "ID",
    "PEERS_LIMIT",
    "PROFILES",
    "SCRIPTS",
    "VISIT_SECONDS",
    "Changed",
    "DispatchRefusedError",
    "ExplainedRoute",
    "GroupChange",
    "GroupFigures",
    "GroupKeys",
    "GroupSettings",
    "GroupSwept",
    "Heard",
    "IfBlocked",
    "NameState",
    "OutboxEntry",
    "PeerRow",
    "Registered",
    "Route",
    "RoutePage",
    "Routed",
    "ack",
    "back",
    "backup",
    "clear",
    "configure",
    "create",
    "deliver",
    "destroy",
    "disconnect",
    "end",
    "end_session",
    "explain",
    "forget_name",
    "front",
    "heard",
    "id_of",
    "is_front",
    "lost",
    "manual",
    "message",
    "names",
    "offer",
    "outbox",
    "peers",
    "process_channel",
    "read_change",
    "read_entry",
    "reasons",
    "recover",
    "register_back",
    "register_front",
    "resync",
    "route",
    "sessions_of",
    "show",
    "start",
    "sweep",
    "uneject",
    "upgrade_flag",
]
