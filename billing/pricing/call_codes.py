"""The rate of a call's interval, written into its hold: what the body's hash is to a message.

The hold is the one place that keeps it, so a change of the tariff never touches a call that has
begun, and whoever takes a call up after a death reads there how to go on.
"""

import re
from typing import Final

from billing.pricing.calls import Interval
from billing.pricing.modes import CALL
from billing.wallet import MessageState

_CODE: Final = re.compile(r"([kb])(\d{1,12})-(\d{1,8})-(\d{1,6})")
_HOLD: Final = re.compile(r"([a-z0-9-]+)/[0-9A-Za-z]{1,22}/[0-9]+\.(?:[0-9a-f]{8}|end)")
KEPT, COMES_BACK = "k", "b"


def code_of(interval: Interval) -> str:
    """Whether unused time comes back, rate, start and length in seconds: b123-60-60."""
    letter = COMES_BACK if interval.comes_back else KEPT
    return f"{letter}{interval.rate_id}-{interval.starts}-{interval.seconds}"


def pool_of(hold_id: str) -> str:
    """The pool whose call a hold pays for (its id is made by `hold_id_of`); "" = a message."""
    found = _HOLD.fullmatch(hold_id)
    return found[1] if found else ""


def rate_of(code: str) -> int | None:
    """The rate in a hold's code, 0 = the tariff's price of a call; None: it is no such code."""
    found = _CODE.fullmatch(code)
    return int(found[2]) if found else None


def seconds_of(code: str) -> int:
    """How long the held interval is; 0: it is no such code."""
    found = _CODE.fullmatch(code)
    return int(found[4]) if found else 0


def interval_of(state: MessageState | None, number: int) -> Interval | None:
    """The interval that a hold pays for; None: the wallet has forgotten it, or a release before
    this one has made it.
    """
    found = _CODE.fullmatch(state.body_hash) if state is not None else None
    if state is None or found is None:
        return None
    letter, rate_id, starts, seconds = found.groups()
    price = state.prices.get(CALL, state.quoted)
    return Interval(
        state.tariff_id or 0,
        number,
        int(starts),
        int(seconds),
        price,
        int(rate_id),
        letter == COMES_BACK,
    )
