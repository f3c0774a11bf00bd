"""`manage.py dispatch`, and the demo's initial groups."""

import io
import json
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.admin.sites import site
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from integrations.simulator.dispatch.config import read_config, settings_of
from poolsite import hotpath
from poolsite.access.models import ApiToken
from poolsite.runtime.demo_data import DemoData
from queueing.dispatch import demo, services
from queueing.dispatch.models import (
    DispatchEvent,
    FrontEnd,
    Group,
    Instance,
    Upgrade,
)
from tests.dispatch.people import SLUG, back, drain, front, make_group, row_of, show

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


def run(*words: str) -> str:
    out = io.StringIO()
    call_command("dispatch", *words, stdout=out)
    return out.getvalue()


def test_a_group_is_made_shown_and_its_instances_set() -> None:
    assert "created" in run("create", SLUG, "--sharing", "turn", "--heartbeat", "2")
    assert show().settings.heartbeat_seconds == 2
    back("as-1", version="1.7", capacity=8)
    front().start("1")
    assert "sessions=1" in run("list")
    told = run("show", SLUG)
    assert "instance as-1  active  open  version 1.7  sessions 1/8" in told
    assert "front-end sip-1  active  BICC  sessions 1  lost by its own count -" in told
    run("drain", SLUG, "as-1", "--reason", "disk", "--until", "2090-01-01T00:00+08:00")
    assert row_of("as-1").manual == "drain"
    run("block", SLUG, "as-1", "--reason", "worse")
    assert row_of("as-1").manual == "blocked"
    assert Instance.objects.get().manual_until is None
    run("open", SLUG, "as-1")
    assert row_of("as-1").manual == "open"


def test_a_session_is_explained_and_the_log_told() -> None:
    group = make_group()
    back("as-1")
    session = front().start("call-1")
    told = run("explain", SLUG, session)
    assert "instance: as-1" in told
    assert "why: fewest sessions, by weight" in told
    drain(group)
    assert "registered  as-1" in run("events", SLUG)
    assert len(run("events", SLUG, "--count", "1").splitlines()) == 1


def test_an_upgrade_is_ordered_and_aborted() -> None:
    make_group()
    back("as-1")
    back("as-2")
    assert "as-1=waiting" in run("upgrade", SLUG, "2.0", "--max-drain", "60", "--at-limit", "force")
    upgrade = Upgrade.objects.get()
    assert (upgrade.max_drain_seconds, upgrade.at_limit) == (60, "force")
    assert "as-1: skipped, open" in run("abort", SLUG, "--reason", "no")
    with pytest.raises(CommandError, match="No upgrade"):
        run("abort", SLUG, "--reason", "again")


@pytest.mark.parametrize(
    "words",
    [
        ("show", "none"),
        ("create", "Bad Slug"),
        ("create", "ok", "--heartbeat", "0"),
        ("create", "ok", "--account", "none"),
        ("drain", SLUG, "a/b", "--reason", "x"),
        ("drain", SLUG, "as-1", "--reason", "x", "--until", "soon"),
        ("drain", SLUG, "as-1", "--reason", "x", "--until", "2090-01-01T00:00"),
        ("explain", SLUG, "sip-1/none"),
        ("upgrade", SLUG, "2.0"),
        ("upgrade", SLUG, "a b"),
    ],
)
def test_bad_words_are_refused_and_change_nothing(words: tuple[str, ...]) -> None:
    make_group()
    before = show()
    with pytest.raises(CommandError):
        run(*words)
    assert show().seq == before.seq
    assert Group.objects.count() == 1
    assert not Upgrade.objects.exists()


def test_check_names_what_differs_and_mends_it() -> None:
    group = make_group()
    back("as-1")
    services.note_peers(0, 1)
    assert "no drift" in run("check")
    Instance.objects.update(manual_state="drain", manual_reason="x")
    Group.objects.update(disconnect_seconds=9)
    with pytest.raises(CommandError) as refused:
        run("check", SLUG)
    assert refused.value.returncode == 1
    assert "fixed" in run("check", SLUG, "--mend")
    assert (row_of("as-1").manual, show().settings.disconnect_seconds) == ("drain", 9)
    Group.objects.filter(pk=group.pk).update(created_at=timezone.now() - timedelta(days=1))
    hotpath.client().flushdb()
    assert "fixed" in run("check", "--mend")
    assert show().status == "recovering"


def test_the_demo_makes_its_group_once_and_keeps_its_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = DemoData(password="x")
    data.simulation["caller"] = {"pool": "care", "switch": "asi", "pool_token": "ps_x"}
    demo.make_group(data)
    first = data.simulation["groups"]
    monkeypatch.setattr(demo, "read_simulation", lambda: data.simulation)
    demo.make_group(data)
    assert data.simulation["groups"] == first
    assert (Group.objects.count(), ApiToken.objects.count()) == (1, 1)
    path = tmp_path / "simulation.json"
    path.write_text(json.dumps(data.simulation))
    config = read_config(path, demo.SLUG)
    assert (config.pool, config.switch, len(config.instances)) == ("care", "asi", 4)
    address = settings_of(config, "http://127.0.0.1:8000/").address(0, "front")
    assert address == "ws://127.0.0.1:8000/ws/dispatch/asi/front/"
    with pytest.raises(ValueError, match="no group"):
        read_config(path, "other")


def test_every_table_is_in_the_admin() -> None:
    for model in (Group, Instance, FrontEnd, Upgrade, DispatchEvent):
        assert site.is_registered(model)
