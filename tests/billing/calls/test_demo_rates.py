"""The demo has a pool whose calls are charged by destination, and each of them has a rate."""

from datetime import UTC, datetime, timedelta

from billing.demo import CALL_RATES, WALLETS
from billing.pricing.calls import RateTable
from billing.pricing.rate_rows import check_rates
from numbers.demo import POOLS

HOURS = [datetime(2026, 3, 2, tzinfo=UTC) + timedelta(hours=hour) for hour in range(7 * 24)]


def test_every_call_of_the_demo_s_charged_pools_has_a_rate() -> None:
    charged = [pool for pool in POOLS if dict(pool.settings).get("charged")]
    assert charged
    for pool in charged:
        assert pool.account in {wallet.slug for wallet in WALLETS}
        rates = CALL_RATES[pool.account]
        check_rates(rates)
        table = RateTable(rates)
        found = {
            rate.destination
            for callee in pool.callees
            for local in HOURS
            if (rate := table.find(f"{callee}123456789", local)) is not None
        }
        assert all(table.find(f"{callee}1", local) for callee in pool.callees for local in HOURS)
        assert len(found) > 3  # so that a statement shows several destinations
