"""A desk's data has one generation at a time: a later one starts again, an older is ignored."""

from queueing.line import desk
from tests.line.desk.desk_support import KEYS, SLUG, DeskUnderTest


def test_an_older_life_is_refused_and_the_same_one_changes_nothing(line: DeskUnderTest) -> None:
    line.join("a")
    assert line.run(desk.recover(SLUG, 5, log_limit=1000)).ok
    line.queue(1)
    line.join("b")
    before, log = line.client.hgetall(KEYS.tag), line.log()
    assert (log[0]["k"], log[0]["w"]) == ("created", "recovering")
    for older in (4, 1):
        assert line.run(desk.recover(SLUG, older)).answer == "other generation"
        assert line.run(desk.create(SLUG, older)).answer == "other generation"
    assert line.run(desk.recover(SLUG, 5)).answer == "exists"
    assert (line.client.hgetall(KEYS.tag), line.log()) == (before, log)
    line.clock.advance(-0.5)  # no step back: a new generation continues the previous one's clock
    assert line.run(desk.create(SLUG, 6)).ok
    assert line.client.hget(KEYS.tag, "clock") == before["clock"]
    assert line.beat("b").answer == "gone"
