"""Random orders of two to six events: after each step the wallet agrees with the table.

The model is data/message_reports.csv in dictionaries (model.py). test_reports_orderings.py has
every order of four events of one message; here two messages share a balance that may be too low.
"""

import os

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from billing import wallet
from poolsite.runtime.redis_server import RedisServer
from tests.billing.wallet.model import Model, as_list
from tests.billing.wallet.test_reports_orderings import (
    EVENTS,
    REPORTS,
    TIMES,
    command_of,
    modelled,
    pass_time,
)
from tests.billing.wallet.wallet_support import QUOTE, SLUG, WalletUnderTest, wallet_on
from tests.support.clock import ScriptClock

# WALLET_RANDOM_ORDERS=20000 searches deeper than the suite does.
EXAMPLES = int(os.environ.get("WALLET_RANDOM_ORDERS", "250"))
NAMES = ("m1", "m2")
BEGAN_US = 1_700_000_000_000_000
SCRIPTS = {"sent": "sent", "cancel": "cancel"} | dict.fromkeys(REPORTS, "report")
Step = tuple[str, str]
# Reports are drawn as often as all other steps: a gateway mixes up their order.
STEPS = st.tuples(
    st.one_of(st.sampled_from(REPORTS), st.sampled_from([*EVENTS, *TIMES])),
    st.sampled_from(NAMES),
)
ORDERS = st.lists(STEPS, min_size=2, max_size=6)
OPENINGS = st.sampled_from([100_000, 2 * QUOTE.quoted, QUOTE.quoted, QUOTE.quoted - 1])


def test_every_random_order_follows_the_table_step_by_step(
    test_clock: ScriptClock, clean_redis: RedisServer
) -> None:
    with wallet_on(clean_redis.url, test_clock) as bench:

        @given(orders=ORDERS, opening=OPENINGS, swept=st.booleans(), sent=st.booleans())
        @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
        def follow(orders: list[Step], opening: int, swept: bool, sent: bool) -> None:
            bench.empty()
            test_clock.set(BEGAN_US)
            bench.create(opening)
            model = Model(bench.settings, test_clock.now_us, opening)
            if sent:  # most orders begin this way: the message is sent, and its reports come
                take(bench, model, ("hold", "m1"))
                take(bench, model, ("sent", "m1"))
            for step in orders:
                if step[0] in TIMES:
                    pass_time(bench, model, TIMES[step[0]], swept=swept)
                else:
                    take(bench, model, step)
                prove(bench, model)

        follow()


def take(bench: WalletUnderTest, model: Model, step: Step) -> None:
    """Check that the wallet answers a command as the model does."""
    event, name = step
    command = command_of(SCRIPTS.get(event, "hold"), [step])
    charge = modelled(model, event, name)
    assert bench.run(command) == as_list([charge], model.bal, model.seq)


def prove(bench: WalletUnderTest, model: Model) -> None:
    """Check that balance, messages and entries are the model's, and the three equations."""
    now = bench.balance()
    assert (now.bal, now.held, now.seq) == (model.bal, model.held, model.seq)
    assert list(bench.changes()) == model.entries
    bench.prove()
    for name, found in bench.run(wallet.messages(SLUG, NAMES)).items():
        known = model.messages[name]
        if not model.is_open(known) or not model.is_over(known):  # others are read as ended
            assert (found.state, found.quoted) == (known.state, known.quoted)
