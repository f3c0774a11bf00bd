"""The history's scripts and the lease on every supported server, and on a Cluster."""

import pytest

from poolsite import hotpath
from poolsite.history import Aggregate, stream
from poolsite.jobs import lease
from tests.history import ledger


@pytest.fixture
def server(each_redis):
    with hotpath.connect(each_redis.url):
        yield


def read_and_trim(tag: str) -> None:
    ledger.begin(tag, generation=7)
    ledger.append(tag, 25)
    page = hotpath.run(stream.read(tag, first=20, count=3))
    assert [entry.seq for entry in page.entries] == [20, 21, 22]
    assert page.entries[0].fields == {"word": "hello", "n": "20"}
    assert page.entries[0].at_us > 1_700_000_000_000_000
    assert not page.whole
    assert page.state == stream.State(7, seq=25, log_limit=1_000_000)
    trimmed = hotpath.run(stream.trim(tag, generation=7, committed=25, tail=5))
    assert trimmed == stream.Trimmed(drained=25, removed=20)
    again = hotpath.run(stream.trim(tag, generation=7, committed=25, tail=5))
    assert again == stream.Trimmed(drained=25, removed=0)
    last = hotpath.run(stream.read(tag, first=25, count=10))
    assert last.whole
    assert last.state.backlog == 0


def test_read_and_trim_agree_on_every_server(server):
    read_and_trim("{t1}")


def test_an_aggregate_that_is_not_there_reads_as_unknown(server):
    page = hotpath.run(stream.read("{nobody}", first=0, count=10))
    assert page.state == stream.State(None)
    assert page.entries == []
    assert hotpath.run(stream.trim("{nobody}", generation=1, committed=1, tail=1)).refused


def test_large_sequence_numbers_stay_exact(server):
    ledger.begin("{t1}", seq=1_763_693_000_123_456)
    last = ledger.append("{t1}", 2)
    assert last == 1_763_693_000_123_458
    page = hotpath.run(stream.read("{t1}", first=last, count=5))
    assert [entry.seq for entry in page.entries] == [last]


def test_the_lease_works_on_every_server(server):
    with lease.hold("{sweep.x.0}") as held:
        assert held.fence == 1
        with lease.hold("{sweep.x.0}") as second:
            assert second is None
    with lease.hold("{sweep.x.0}") as held:
        assert held.fence == 2


def test_a_cluster_serves_streams_and_counters_of_every_slot(redis_cluster):
    tags = [f"{{t{n}}}" for n in range(12)]
    with hotpath.connect(redis_cluster.url):
        for tag in tags:
            read_and_trim(tag)
        states = stream.states([Aggregate(tag, n) for n, tag in enumerate(tags)])
    assert {state.drained for state in states.values()} == {25}
    assert len(states) == 12
