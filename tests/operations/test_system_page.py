"""The system page: each scheduled job by name, with its result as a sentence."""

import importlib

import pytest
from django.utils.translation import ngettext_lazy, override

from poolsite import jobs
from poolsite.jobs import registry, sweeping
from poolsite.jobs.descriptions import COMMON
from poolsite.operations import system_page
from poolsite.operations.models import OutgoingCall
from tests.access.world import World, make_world

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
PRODUCT = [name for name in registry.sweeps() if not name.startswith("test.")]


@pytest.fixture
def world() -> World:
    return make_world()


@pytest.fixture
def own_sweeps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_SWEEPS", dict(registry.sweeps()))


@pytest.mark.parametrize("name", PRODUCT)
def test_every_sweep_says_what_it_is_for_and_what_its_figures_mean(name: str) -> None:
    sweep = registry.sweeps()[name]
    assert str(sweep.description.purpose)
    result = sweep.run(0, 1) or {}
    if not sweep.description.total:
        assert set(result) - set(sweep.description.results) - set(COMMON) == set()


def test_all_apps_sweeps_are_registered() -> None:
    for module in ("numbers", "billing", "queueing.line", "queueing.dispatch", "poolsite.history"):
        importlib.import_module(f"{module}.tasks")
    assert {"numbers.watch", "billing.persist", "line.hours", "history.drain"} <= set(
        registry.sweeps()
    )


def test_a_result_is_a_sentence_without_keys() -> None:
    told = jobs.SweepDescription(
        "Gates", "", {"gates": ngettext_lazy("%(n)s gate", "%(n)s gates", "n")}
    )
    with override("en"):
        assert told.sentence({"gates": 1, "failed": 0}) == "1 gate"
        assert told.sentence({"gates": 1_200, "failed": 2}) == "1,200 gates; 2 failed"
        assert told.sentence({"gates": 0}) == "Nothing to do"
        assert told.sentence({"taken_up": 3}) == "taken up: 3"
        summed = jobs.SweepDescription(
            "Old rows", "", total=ngettext_lazy("%(n)s row", "%(n)s rows", "n")
        )
        assert summed.sentence({"numbers.Call": 2, "line.Visit": 3}) == "5 rows"
        assert summed.sentence({"numbers.Call": 0}) == "Nothing to do"


@pytest.mark.usefixtures("own_sweeps")
def test_jobs_that_failed_or_are_late_come_first_and_the_raw_result_is_folded(
    world: World,
) -> None:
    def broken(shard: int, shards: int) -> dict[str, int]:
        raise ValueError("no disk")

    jobs.sweep(
        "test.broken",
        broken,
        every_seconds=60,
        description=jobs.SweepDescription("Broken job", "Breaks."),
    )
    jobs.sweep("test.partly", lambda *_: {"failed": 2}, every_seconds=60)
    jobs.sweep("test.well", lambda *_: {"desks": 2}, every_seconds=60)
    jobs.sweep("test.never", lambda *_: {}, every_seconds=60)
    for name in ("test.broken", "test.partly", "test.well"):
        sweeping.run_shard(name, 0)
    answer = world.client("operate").get("/system/")
    states = {row.name: row.state for row in answer.context["sweeps"]}
    assert [states[f"test.{name}"] for name in ("broken", "partly", "well", "never")] == [
        "failed",
        "partly",
        "well",
        "never",
    ]
    assert answer.context["troubled"][0].name == "test.broken"
    assert "test.well" not in {row.name for row in answer.context["troubled"]}
    text = answer.content.decode()
    assert "ValueError: no disk" in text
    assert "2 desks checked" in text
    assert text.index("Broken job") < text.index("2 desks checked")


@pytest.mark.usefixtures("own_sweeps")
def test_a_paused_job_is_no_failure() -> None:
    jobs.sweep("test.money", lambda *_: {}, every_seconds=60, pausable=True)
    sweeping.pause("the clock jumped")
    sweeping.run_shard("test.money", 0)
    (row,) = (row for row in system_page.sweep_rows() if row.name == "test.money")
    assert (row.state, row.next_seconds is not None) == ("paused", True)


def test_outgoing_requests_say_what_they_were_for(world: World) -> None:
    OutgoingCall.objects.create(
        purpose="notice.opened", address="https://hooks.example", status=200
    )
    text = world.client("operate").get("/system/").content.decode()
    assert "Alert: problem" in text
    assert "notice.opened" not in text
