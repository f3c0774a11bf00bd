"""The images and compose.yaml: what they promise, and their commands on this machine."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.deploy.image import context, stages
from tests.house.source import ROOT

pytestmark = [pytest.mark.processes, pytest.mark.needs("docker-compose")]

COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
OURS = [name for name, one in COMPOSE["services"].items() if "poolsite" in one["image"]]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """As much of a checkout as compose reads, before it has been prepared."""
    shutil.copy(ROOT / "compose.yaml", tmp_path)
    shutil.copytree(ROOT / "deploy" / "compose", tmp_path / "deploy" / "compose")
    shutil.rmtree(tmp_path / "deploy" / "compose" / "secrets", ignore_errors=True)
    return tmp_path


def run(checkout: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(words, cwd=checkout, capture_output=True, text=True, check=False)


def test_the_linter_has_nothing_to_say_of_the_dockerfile():
    hadolint = Path(sys.executable).parent / "hadolint"
    said = run(ROOT, str(hadolint), "--failure-threshold", "style", "Dockerfile")
    assert (said.returncode, said.stdout) == (0, ""), said.stderr


def test_the_image_runs_as_a_user_without_rights_and_has_nothing_to_build_with():
    last = list(stages().values())[-1]
    assert last.name == "poolsite"
    user, _, group = last.all("USER")[-1].partition(":")
    assert int(user) > 0
    assert int(group) > 0
    assert last.steps.index(("USER", f"{user}:{group}")) > last.steps.index(
        ("RUN", last.all("RUN")[-1])
    )
    assert last.command("ENTRYPOINT") == ["/opt/poolsite/deploy/container/entrypoint"]
    assert last.command("CMD") == ["web"]
    assert last.command("HEALTHCHECK")[:3] == ["python", "-m", "poolsite.runtime.healthcheck"]
    steps = " ".join(step for stage in stages().values() for step in stage.all("RUN"))
    assert "apt" not in steps.split()
    assert "pip install" not in steps
    assert "pip uninstall" in last.all("RUN")[0]


def test_what_is_copied_exists_and_what_is_private_never_enters_a_build():
    files = set(context())
    for stage in stages().values():
        for words in map(str.split, stage.all("COPY")):
            if not words[0].startswith("--from="):
                assert set(words[:-1]) - {"."} <= files
    assert {
        "manage.py",
        "poolsite/settings/site.py",
        "locale/zh_Hans/LC_MESSAGES/django.mo",
    } <= files
    first = {name.partition("/")[0] for name in files}
    assert not first & {"var", ".venv", ".git", ".env", "tests", "docs", "compose.yaml"}
    assert {name for name in files if name.startswith("deploy/compose/")} == {
        "deploy/compose/nginx.sed"
    }
    assert not [name for name in files if name.endswith(".pyc")]


def test_web_processes_are_started_as_the_units_of_systemd_do():
    entry = (ROOT / "deploy/container/entrypoint").read_text().replace("\\\n", " ")
    unit = (ROOT / "deploy/systemd/poolsite-web@.service").read_text()
    (ours,) = [line for line in entry.splitlines() if "exec uvicorn" in line]
    (theirs,) = [line for line in unit.splitlines() if line.startswith("ExecStart=")]
    ours = ours.replace("--host 0.0.0.0 --port 8000 ", "").removesuffix(' "$@"')
    assert ours.split()[2:] == theirs.replace("--port %i ", "").split()[1:]


def test_compose_refuses_to_start_before_it_is_prepared(checkout: Path):
    refused = run(checkout, "docker-compose", "config")
    assert refused.returncode != 0
    assert "run deploy/compose/prepare first" in refused.stderr


def test_compose_takes_what_prepare_has_written_and_prepare_keeps_it(checkout: Path):
    prepare = ["deploy/compose/prepare", "console.example.com", "smtp+tls://mail.example.com"]
    assert run(checkout, *prepare[:2]).returncode == 64
    first = run(checkout, *prepare)
    assert first.returncode == 0, first.stderr
    secrets = checkout / "deploy/compose/secrets"
    written = {path.name: path.read_text() for path in secrets.iterdir()}
    assert run(checkout, *prepare).stdout == ""
    assert {path.name: path.read_text() for path in secrets.iterdir()} == written
    assert secrets.stat().st_mode & 0o77 == 0
    assert set(written) == set(COMPOSE["secrets"])
    made = run(checkout, "docker-compose", "config")
    assert made.returncode == 0, made.stderr
    web = yaml.safe_load(made.stdout)["services"]["web-1"]
    assert web["environment"]["POOLSITE_ALLOWED_HOSTS"] == "console.example.com"
    assert written["postgres_password"].strip() in written["database_url"]
    assert written["redis_password"].split()[1] in written["redis_url"]
    assert written["secret_key"].strip() not in made.stdout


@pytest.mark.parametrize("name", COMPOSE["services"])
def test_every_container_has_no_more_rights_than_it_needs(name: str):
    service = COMPOSE["services"][name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["logging"]["options"]["max-size"]
    assert "privileged" not in service
    assert ("ports" in service) is (name == "nginx")
    variables = service.get("environment", {})
    assert not [key for key in variables if key.endswith(("KEY", "PASSWORD", "TOKEN", "_URL"))]
    if name not in ("nginx", *OURS):
        assert service["networks"] == ["inside"]
        assert service["healthcheck"]["test"]


def test_every_part_of_a_site_is_there():
    commands = [COMPOSE["services"][name].get("command", []) for name in OURS]
    queues = {words[2] for words in commands if words[:2] == ["worker", "-Q"]}
    assert queues == {"jobs", "books", "history"}
    assert sum(words[:1] == ["web"] for words in commands) == 2
    assert sum(words[:1] == ["timers"] for words in commands) == 2
    assert sum(words[:1] == ["beat"] for words in commands) == 1
