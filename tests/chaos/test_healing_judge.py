"""The judge of the healing proof distinguishes a recovered demo from one that is not."""

from tests.chaos.healing import Usual, figures_of

METRICS = """# TYPE poolsite_pool_numbers gauge
poolsite_pool_numbers{pool="east",state="idle_up"} 84.0
poolsite_pool_numbers{pool="east",state="busy_up"} 214.0
poolsite_pool_numbers{pool="east",state="busy_down"} 2.0
poolsite_pool_numbers{pool="east",state="idle_down"} 1.0
poolsite_pool_calls_total{outcome="offered",pool="east"} 90.0
poolsite_pool_calls_total{outcome="carried",pool="east"} 80.0
poolsite_line_queue{desk="support",queue="sales",what="online"} 4.0
poolsite_line_queue{desk="support",queue="sales",what="waiting"} 9.0
poolsite_gate_permits{gate="north",what="cap"} 60.0
poolsite_gate_permits{gate="north",what="used"} 59.0
poolsite_dispatch_level{group="asi",what="sessions"} 62.0
"""
USUAL = {
    "east offline": 3.0,
    "calls carried": 80.0,
    "sales online": 4.0,
    "north used": 59.0,
    "asi sessions": 62.0,
}


def test_the_figures_are_read_from_the_metrics() -> None:
    assert figures_of(METRICS) == USUAL


def test_what_is_missing_or_offline_is_unusual_and_a_little_less_is_not() -> None:
    calm = {**USUAL, "calls a second": 9.0}
    usual = Usual.of([calm, {**calm, "calls a second": 8.0}])
    assert usual.unusual({**calm, "calls a second": 7.0, "east offline": 5.0}) == []
    assert usual.unusual({**calm, "east offline": 300.0}) == ["east offline 300 (usually 3 to 3)"]
    slow = usual.unusual({**calm, "calls a second": 5.5})
    assert slow == ["calls a second 5.5 (usually 8 to 9)"]
    assert len(usual.unusual({})) == 5  # all but the numbers that are offline
