"""An operator's first hour: the guide's own commands, by a user who is not root."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import redis

from tests.deploy import rehearsal
from tests.deploy.machine import Machine
from tests.deploy.units import blocks, settings
from tests.deploy.visiting import is_ready, log_in, page, wait_until_ready, wait_until_well
from tests.support.parts import starts_processes
from tests.support.processes import family
from tests.support.waiting import until

pytestmark = [
    pytest.mark.prove,
    pytest.mark.rehearsal,  # ten minutes of a whole site of nine services
    pytest.mark.needs("postgres", "redis-7", "openssl", "systemd", "git", "curl"),
]
ENDED_WELL = {0, -15}  # what systemd calls a clean exit


@pytest.fixture
@starts_processes
def machine() -> Iterator[Machine]:
    made = Machine()
    try:
        yield made.set_up()
    finally:
        made.remove()


def test_the_guides_lead_from_nothing_through_failures_and_an_upgrade_to_a_restore(
    machine: Machine,
):
    clone, install, operator, check, upgrade = blocks("sh")
    machine.shell(clone)
    assert "Done." in machine.shell(install)
    stores_are_ready(machine)
    again_changes_nothing(machine, install)

    services = machine.wanted()
    assert len(services) >= 8  # 2 web, 2 timers, 3 workers, beat
    machine.start(*services)
    password = machine.shell(operator).split()[-1]
    wait_until_ready(machine)
    for port in machine.ports.values():
        assert '"status":"ready"' in machine.shell(check.replace("8101", str(port)))
    wait_until_well(machine)  # timers, workers and beat
    session = log_in(machine, "ada", password)
    assert page(machine, session) == 200

    rehearsal.look(machine)
    rehearsal.stop_each_part(machine)
    rehearsal.kill_every_process(machine)
    assert page(machine, session) == 200

    former = machine.release
    machine.shell("(cd ../origin; echo >>templates/base.html; git commit -q -a -m next)")
    upgraded = machine.shell(
        upgrade, PIP_NO_INDEX="1", PIP_FIND_LINKS="", PIP_CONFIG_FILE="/dev/null"
    )
    assert "Switching to the release" in upgraded
    assert former.exists()
    assert machine.release != former
    for name in [name for name in services if "web@" in name]:
        assert set(machine.stop(name).values()) <= ENDED_WELL
        until(lambda: is_ready(machine))  # another process responds
        machine.start(name)
        wait_until_ready(machine)
    assert page(machine, session) == 200

    rehearsal.lose_both_stores(machine)
    rehearsal.restore(machine)
    assert page(machine, session) == 200

    children = family(*(machine.processes[name].pid for name in services))
    ended = machine.stop(*services)
    assert {name: code for name, code in ended.items() if code not in ENDED_WELL} == {}
    until(lambda: not family(*children))


def stores_are_ready(machine: Machine) -> None:
    """Check that PostgreSQL has the role's own database, Redis persists, and files are private."""
    made = settings(machine.settings)
    with psycopg.connect(made["DATABASE_URL"]) as connection:
        query = "SELECT current_user, rolsuper FROM pg_roles WHERE rolname = current_user"
        assert connection.execute(query).fetchone() == ("poolsite", False)
        assert connection.execute("SELECT count(*) FROM access_user").fetchone() == (0,)
    with redis.Redis.from_url(made["REDIS_URL"]) as client:
        kept = client.config_get("appendonly", "maxmemory-policy", "save")
        assert kept == {"appendonly": "yes", "maxmemory-policy": "noeviction", "save": ""}
        assert len(client.function_list()) > 0
    assert "appendonly yes" in (machine.folder / "redis.conf").read_text()
    assert machine.settings.stat().st_mode & 0o777 == 0o640
    assert len(made["POOLSITE_SECRET_KEY"]) >= 50
    assert next((machine.prefix / "var/lib/poolsite/staticfiles").rglob("*.css"))


def again_changes_nothing(machine: Machine, install: str) -> None:
    before = content(machine.prefix)
    said = machine.shell(install)
    assert "exist and stay as they are" in said
    assert "is installed" in said
    assert content(machine.prefix) == before


def content(folder: Path) -> dict[str, str]:
    """Return the content of each file and link; of the packages' files, only the names."""
    found = {}
    for path in folder.rglob("*"):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = str(path.readlink())
        elif path.is_file():
            packages = "/.venv/" in name
            found[name] = "" if packages else hashlib.sha256(path.read_bytes()).hexdigest()
    return found
