"""The judge of the healing proof tells a demo that is back from one that is not."""

from tests.chaos.healing import Usual, figures_of

METRICS = """# TYPE poolsite_pool_numbers gauge
poolsite_pool_numbers{pool="east",state="idle_up"} 84.0
poolsite_pool_numbers{pool="east",state="busy_up"} 214.0
poolsite_pool_numbers{pool="east",state="busy_down"} 2.0
poolsite_pool_numbers{pool="east",state="idle_down"} 1.0
poolsite_line_queue{desk="support",queue="sales",what="online"} 4.0
poolsite_line_queue{desk="support",queue="sales",what="waiting"} 9.0
poolsite_gate_permits{gate="north",what="cap"} 60.0
poolsite_gate_permits{gate="north",what="used"} 59.0
poolsite_dispatch_level{group="asi",what="sessions"} 62.0
"""
USUAL = {
    "east busy": 216.0,
    "east down": 3.0,
    "sales online": 4.0,
    "north used": 59.0,
    "asi sessions": 62.0,
}


def test_the_figures_are_read_from_the_metrics() -> None:
    assert figures_of(METRICS) == USUAL


def test_what_is_missing_or_offline_is_unusual_and_a_little_less_is_not() -> None:
    usual = Usual.of([USUAL, {**USUAL, "east busy": 200.0}])
    assert usual.unusual({**USUAL, "east busy": 190.0, "east down": 5.0}) == []
    assert usual.unusual({**USUAL, "east down": 300.0}) == ["east down 300 (usually 3 to 3)"]
    assert usual.unusual({**USUAL, "east busy": 20.0}) == ["east busy 20 (usually 200 to 216)"]
    assert len(usual.unusual({})) == 4  # all but the numbers that are offline
