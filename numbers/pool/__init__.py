"""The only interface to the number pool's Lua: key names, commands, results and reasons.

    outcome = hotpath.run(pool.event("retail-east", pool.Event.of("call", call_id="…")))

`numbers/pool/commands.py` and `calls.py` have the commands that are not events; `reading.py` has
those that only read.
"""

from numbers.pool import reasons
from numbers.pool.calls import Forced, Listed, ListPart, force_hangup, live_list, mark_unpaid
from numbers.pool.changes import DELETED_IN_SQL, PoolChange, read_change
from numbers.pool.charges import OVER, USED, Due, Note, charge, charges, revoke_voucher, voucher
from numbers.pool.commands import (
    ROWS_LIMIT,
    VISIT_SECONDS,
    PoolRefusedError,
    PoolSwept,
    StoredNumber,
    alias,
    configure,
    confirm,
    create,
    destroy,
    label,
    load,
    loaded,
    open_now,
    pause,
    quarantine,
    recover,
    release,
    resume,
    sweep,
    unquarantine,
)
from numbers.pool.keys import PoolKeys
from numbers.pool.number_state import Call, NumberState, parse_state, state_letter
from numbers.pool.reading import PoolFigures, Scanned, recount, scan, show, states
from numbers.pool.scripts import SCRIPTS, SWITCH_SCRIPTS
from numbers.pool.settings import PoolSettings
from numbers.pool.transitions import (
    BATCH_LIMIT,
    ERROR,
    EVENTS,
    OK,
    Event,
    EventOutcome,
    event,
    events,
)

__all__ = [
    "BATCH_LIMIT",
    "DELETED_IN_SQL",
    "ERROR",
    "EVENTS",
    "OK",
    "OVER",
    "ROWS_LIMIT",
    "SCRIPTS",
    "SWITCH_SCRIPTS",
    "USED",
    "VISIT_SECONDS",
    "Call",
    "Due",
    "Event",
    "EventOutcome",
    "Forced",
    "ListPart",
    "Listed",
    "Note",
    "NumberState",
    "PoolChange",
    "PoolFigures",
    "PoolKeys",
    "PoolRefusedError",
    "PoolSettings",
    "PoolSwept",
    "Scanned",
    "StoredNumber",
    "alias",
    "charge",
    "charges",
    "configure",
    "confirm",
    "create",
    "destroy",
    "event",
    "events",
    "force_hangup",
    "label",
    "live_list",
    "load",
    "loaded",
    "mark_unpaid",
    "open_now",
    "parse_state",
    "pause",
    "quarantine",
    "read_change",
    "reasons",
    "recount",
    "recover",
    "release",
    "resume",
    "revoke_voucher",
    "scan",
    "show",
    "state_letter",
    "states",
    "sweep",
    "unquarantine",
    "voucher",
]
