"""The rate of a call's interval, written into its hold in place of a message's body hash.

Only the hold stores it. So a change of the tariff never affects a call that has begun, and a
process that takes over a call after a crash finds there how to continue.
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
    """Return whether unused time is returned, the rate, the start and the seconds: "b123-60-60"."""
    letter = COMES_BACK if interval.comes_back else KEPT
    return f"{letter}{interval.rate_id}-{interval.starts}-{interval.seconds}"


def pool_of(hold_id: str) -> str:
    """Return the pool of the call that a hold (with an ID of `hold_id_of`) pays for, or ""."""
    found = _HOLD.fullmatch(hold_id)
    return found[1] if found else ""


def rate_of(code: str) -> int | None:
    """Return the rate in a hold's code (0: the tariff's price of a call). None: other codes."""
    found = _CODE.fullmatch(code)
    return int(found[2]) if found else None


def seconds_of(code: str) -> int:
    """Return the length of the held interval, or 0 for other codes."""
    found = _CODE.fullmatch(code)
    return int(found[4]) if found else 0


def interval_of(state: MessageState | None, number: int) -> Interval | None:
    """Return the interval that a hold pays for.

    Return None if the wallet has forgotten the hold, or an earlier release created it.
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
