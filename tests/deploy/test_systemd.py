"""The units, the environment file and the guide agree with each other and with the product."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import get_commands

from poolsite.runtime import demo
from tests.deploy.units import COMMON, FOLDER, GUIDE, HOME, blocks, read
from tests.deploy.units import settings as settings_of
from tests.house.source import ROOT

pytestmark = pytest.mark.processes

INSTALL = ROOT / "deploy" / "install"
INSTANCES = (
    *("poolsite-web@8101.service", "poolsite-timers@1.service", "poolsite-beat.service"),
    *(f"poolsite-worker@{queue}.service" for queue in ("jobs", "books", "history")),
)
# systemd's own score, from 0 (locked up) to 10: services that need the network get about 1.
MOST_EXPOSURE = 2.0


def run(
    *command: str, cwd: Path | None = None, env: dict[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd, env=env)


@pytest.mark.needs("systemd")
def test_systemd_finds_no_fault_in_any_unit(tmp_path):
    """The units as shipped, with the programs of this environment, so that they exist."""
    for path in [*FOLDER.glob("*.service"), *FOLDER.glob("*.target"), COMMON]:
        target = tmp_path / path.relative_to(FOLDER)
        target.parent.mkdir(exist_ok=True)
        target.write_text(path.read_text().replace(HOME, str(ROOT)))
    verified = run("systemd-analyze", "verify", "poolsite.target", *INSTANCES, cwd=tmp_path)
    assert (verified.returncode, verified.stdout + verified.stderr) == (0, "")


@pytest.mark.needs("systemd")
def test_the_units_of_the_backup_page_work_beside_those_of_the_site(tmp_path):
    """A unit to which systemd gave the site's common settings could not run once and end."""
    shutil.copytree(COMMON.parent, tmp_path / COMMON.parent.name)
    page = (ROOT / "docs" / "operations" / "backup.md").read_text()
    units = re.findall(r"```ini\n# /etc/systemd/system/(\S+)\n(.*?)```", page, re.DOTALL)
    assert [name.partition(".")[2] for name, _ in units] == ["service", "timer"]
    for name, text in units:
        (tmp_path / name).write_text(text.replace("/usr/local/bin/poolsite", "/bin/true"))
    verified = run("systemd-analyze", "verify", *(name for name, _ in units), cwd=tmp_path)
    assert (verified.returncode, verified.stdout + verified.stderr) == (0, "")


@pytest.mark.needs("systemd")
def test_every_service_is_in_the_sandbox(tmp_path):
    """Proves that systemd applies the common file to each unit: without it, the score is 9."""
    shutil.copytree(FOLDER, tmp_path / "etc" / "systemd" / "system")
    for name in INSTANCES:
        options = ("--offline=true", f"--root={tmp_path}", "--no-pager")
        said = run("systemd-analyze", "security", *options, name).stdout
        assert float(re.search(r"exposure level for \S+ ([0-9.]+)", said)[1]) < MOST_EXPOSURE, said


def test_every_variable_of_the_environment_file_is_a_setting():
    table = (ROOT / "docs" / "operations" / "settings.md").read_text()
    known = set(re.findall(r"^\| `([A-Z][A-Z0-9_]+)` \|", table, re.MULTILINE))
    offered = settings_of(FOLDER / "poolsite.env", commented=True)
    assert set(offered) - known == set()
    secrets = [name for name in offered if re.search("KEY|TOKEN|_URL$", name)]
    assert [name for name in secrets if offered[name] and "127.0.0.1" not in offered[name]] == []


def test_the_web_unit_starts_the_demo_s_server_and_gives_it_more_time():
    command = read(FOLDER, "poolsite-web@8101.service").command()
    program, application, *flags = command
    assert (program, application) == (f"{HOME}/.venv/bin/uvicorn", "poolsite.asgi:application")
    assert flags[:2] == ["--port", "8101"]
    assert flags[2:-1] == list(demo.WEB[:-1])


def test_the_workers_serve_every_queue_with_the_demo_s_options():
    for queue in settings.CELERY_TASK_QUEUES:
        command = read(FOLDER, f"poolsite-worker@{queue}.service").command()
        own = ["-Q", queue, "-n", f"{queue}@%h"]
        assert command[1:] == ["-A", "poolsite", *demo.WORKER, *own]
    script = re.search(r"poolsite-worker@\{([a-z,]+)\}", INSTALL.read_text())
    assert set(script[1].split(",")) == set(settings.CELERY_TASK_QUEUES)


def test_a_web_process_gets_the_time_that_it_needs_to_end():
    unit = read(FOLDER, "poolsite-web@8101.service")
    needed = settings.DRAIN_SECONDS + int(unit.command()[-1])
    assert needed < int(unit.value("TimeoutStopSec")) <= needed + 15


def test_the_guide_s_table_of_processes_has_the_commands_of_the_units():
    row = re.compile(r"^\| `(poolsite-[^`]+)` \| `([^`]+)`", re.MULTILINE)
    table = dict(row.findall(GUIDE.read_text()))
    assert len(table) == 4
    for name, command in table.items():
        words = read(FOLDER, f"{name}.service").command()
        assert command == " ".join(words).replace(f"{HOME}/", "")


@pytest.mark.needs("apt")
def test_every_package_that_the_guide_installs_exists():
    lines = "".join(blocks("console")).splitlines()
    (line,) = [line for line in lines if line.startswith("apt-get install ")]
    packages = line.split()[2:]
    assert {"postgresql", "redis-server", "nginx", "python3-venv"} <= set(packages)
    known = run("apt-cache", "policy", *packages).stdout  # one call: each reads all the lists
    for package in packages:
        assert re.search(rf"^{re.escape(package)}:\n.*\n +Candidate: \d", known, re.MULTILINE)


def test_every_command_of_the_guide_that_needs_root_names_what_exists():
    """Units, subcommands of `poolsite` and options of deploy/install, in blocks and tables."""
    text = GUIDE.read_text()
    units = set(re.findall(r"systemctl [a-z-]+ (?:--now )?(poolsite[\w@.-]*)", text))
    files = {re.sub("@.*", "@", unit).removesuffix(".service") for unit in units}
    here = {path.stem for path in [*FOLDER.glob("*.service"), *FOLDER.glob("*.target")]}
    assert files
    assert {name.removesuffix(".target") for name in files} - here == set()
    commands = set(re.findall(r"(?:^|`)poolsite ([a-z]+)", text, re.MULTILINE))
    assert commands - set(get_commands()) == set()
    options = set(re.findall(r"deploy/install (--[a-z-]+)", text))
    assert options
    assert options - set(re.findall("--[a-z-]+", run(str(INSTALL), "--help").stdout)) == set()


def test_the_installer_refuses_with_one_sentence_what_it_does_not_know():
    for words, said in (
        (["--wrong"], "Unknown option --wrong. See deploy/install --help.\n"),
        (["--web", "many"], "--web needs a number from 1 to 99.\n"),
    ):
        refused = run(str(INSTALL), *words)
        assert (refused.returncode, refused.stdout, refused.stderr) == (1, "", said)


def test_a_dry_run_tells_the_steps_and_changes_nothing(tmp_path: Path):
    place = {"POOLSITE_PREFIX": str(tmp_path / "machine"), "PATH": "/usr/local/bin:/usr/bin:/bin"}
    given = {"POOLSITE_ALLOWED_HOSTS": "console.example.com", "EMAIL_URL": "smtp://127.0.0.1:9"}
    told = run(str(INSTALL), "--dry-run", env={**place, **given})
    assert told.returncode == 0, told.stderr
    assert "would run: manage.py migrate --no-input" in told.stdout
    assert list(tmp_path.iterdir()) == []
    without = run(str(INSTALL), "--dry-run", env=place)
    assert without.returncode == 1
    assert "EMAIL_URL is the mail server, such as" in without.stderr
    assert "Then run it again: it continues from there." in without.stderr
