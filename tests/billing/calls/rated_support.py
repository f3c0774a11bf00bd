"""A charged pool whose account has call rates, and its calls."""

from typing import Any

from billing.models import Tariff
from billing.pricing.calls import Rate
from billing.services import calls
from billing.services.tariffs import tariff_create
from numbers import pool as pool_commands
from numbers.services import charging
from numbers.services.charging_sweep import charged_of, run
from tests.billing.calls.call_support import Line, make_line
from tests.numbers.people import send

INTERVAL = 60
MOBILE, FIXED = "+491701234567", "+49301234567"
RATES = (
    Rate("+4917", "Germany mobile", 1_200, 60, 1, 50),
    Rate("+4930", "Berlin", 600, 60, 60),
    Rate("+86", "China", 6_000, 1, 1),
)
STRICT = {"video": {"unit_price": 1}}
CALL_PRICE = {"call": {"unit_price": 600}}


def rated_line(rates: Any = RATES, prices: Any = None, **given: Any) -> Line:
    """Make a pool with intervals of a minute, for an account whose tariff has these rates."""
    line = make_line(**({"charge_interval_seconds": INTERVAL, "lease_seconds": 600} | given))
    publish(line, rates, prices or STRICT)
    return line


def publish(line: Line, rates: Any, prices: Any = None) -> Tariff:
    """Publish another version, valid at once."""
    return tariff_create(
        actor="test",
        account=line.shop.account,
        name="rates",
        prices=prices or STRICT,
        call_rates=list(rates),
        replace=True,
    )


def begin(
    line: Line, callee: str = MOBILE, call_id: str = "a", **given: Any
) -> pool_commands.EventOutcome:
    """Begin a call as every lane does. Raise CallRefusedError."""
    payer = calls.payer_of(line.shop.account.pk)
    assert payer is not None
    hold_id = calls.hold_id_of(line.slug, call_id, 1)
    event = pool_commands.Event.of(
        "call", call_id=call_id, callee=callee, paid=hold_id, switch="fs1", **given
    )
    outcome: pool_commands.EventOutcome = run(charging.begin(charged_of(line.pool, payer), event))
    return outcome


def hang_up(line: Line, call_id: str = "a") -> None:
    assert send(line.slug, "hangup", call_id=call_id).ok
