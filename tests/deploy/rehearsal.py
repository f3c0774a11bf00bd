"""docs/operations/rehearsal.md, executed on this machine: its commands and its table, in order."""

import json
import re
from pathlib import Path

from tests.deploy.machine import POSTGRESQL, REDIS, Machine
from tests.deploy.units import blocks
from tests.deploy.visiting import START_SECONDS, answer_of, evidence_of, failing, wait_until_well
from tests.house.source import ROOT
from tests.support.waiting import until

GUIDE = ROOT / "docs" / "operations" / "rehearsal.md"
BACKUPS = "/var/backups/poolsite"
_ROW = re.compile(
    r"^\| `systemctl stop ([^`]+)` \| (?:`(\w+)`|none: .*) \| (\d{3}) \|$", re.MULTILINE
)


def look(machine: Machine) -> None:
    """Check that the first command shows what the System page shows."""
    port = next(iter(machine.ports.values()))
    asked = blocks("sh", GUIDE)[0].replace("8101", str(port))
    assert '"warnings"' in machine.shell(asked)


def stop_each_part(machine: Machine) -> None:
    """Check every row of the table: the failure is seen where it says, and ends with the start."""
    rows = [(words.split(), check, int(status)) for words, check, status in parts_of_the_table()]
    played = {service(name) for names, _, _ in rows for name in names}
    others = {name for name in machine.wanted() if "web@" not in name}
    assert played == {"poolsite-web@8101.service", *others, REDIS, POSTGRESQL}
    for names, check, status in rows:
        services = [service(name) for name in names]
        machine.stop(*services)
        until(
            lambda its=check, code=status: is_seen(machine, its, code),
            START_SECONDS,
            evidence=lambda: evidence_of(machine),
        )
        for name in services if not check else ():
            if "web@" in name:
                assert answer_of(machine.ports[machine.unit(name).instance]) is None
        if check:
            said = machine.shell(f'poolsite doctor --only {check} || echo "exit code $?"')
            assert re.search(rf"^fail +{check} +\S", said, re.MULTILINE), said
            assert said.endswith("exit code 1\n")
        machine.start(*services)
        wait_until_well(machine)


def parts_of_the_table() -> list[tuple[str, str, str]]:
    """Return (parts, failing check, status of /readyz) of each row."""
    return _ROW.findall(GUIDE.read_text())


def service(name: str) -> str:
    """Return the name that systemd gives to a part of the site."""
    return name if name in (REDIS, POSTGRESQL) else f"{name}.service"


def is_seen(machine: Machine, check: str, status: int) -> bool:
    """Return whether only this check fails ("" for none), with this status of /readyz.

    Without Redis or SQL, the other checks can't be read either.
    """
    found = failing(machine)
    answers = {answer_of(port) for port in machine.ports.values()} - {None}
    only = [check] if check else []
    fails = check in found if check in ("redis", "sql") else [*found] == only
    return fails and answers == {status}


def kill_every_process(machine: Machine) -> None:
    """Kill every process; restart them as systemd does (Restart=always)."""
    services = machine.wanted()
    machine.kill(*services)
    machine.start(*services)
    wait_until_well(machine)


def lose_both_stores(machine: Machine) -> None:
    """Back up, stop the site, and delete both stores."""
    _look, backup, *_ = _own(machine, "sh")
    _kill, lose, _start = _own(machine, "console")
    Path(f"{machine.prefix}{BACKUPS}").mkdir(parents=True)
    machine.own(Path(f"{machine.prefix}/var/backups"))
    made = Path(re.findall(r"Backup complete: (\S+)", machine.shell(backup))[0])
    manifest = json.loads((made / "manifest.json").read_text())
    assert machine.release.name in manifest["release"]
    machine.stop(*machine.wanted())
    # The test is no root and has no systemd: it stopped the site, and psql knows its user.
    for words in ("systemctl stop poolsite.target\n", "runuser -u postgres -- "):
        lose = lose.replace(words, "")
    machine.shell(lose.replace("redis-cli", f"redis-cli -p {machine.redis_port}"))
    assert not machine.redis_keys()


def restore(machine: Machine) -> None:
    """Restore: installed, restored, started, and proved."""
    _look, _backup, install, its_restore, proofs = _own(machine, "sh")
    assert "creating the database poolsite" in machine.shell(install)
    said = machine.shell(its_restore)
    assert "everything acknowledged before" in said
    machine.start(*machine.wanted())
    wait_until_well(machine)
    for proof in proofs.splitlines():
        until(lambda its=proof: machine.runs(its), START_SECONDS, evidence=machine.logs)


def _own(machine: Machine, kind: str) -> list[str]:
    """Return the guide's commands, with the folder of the backups below this machine's folder."""
    return [text.replace(BACKUPS, f"{machine.prefix}{BACKUPS}") for text in blocks(kind, GUIDE)]
