"""Settings in files, as containers get their secrets: read, or refused with one sentence."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from poolsite.runtime.environment import SettingsReader, Variables, is_set
from tests.house.source import ROOT
from tests.support.waiting import patient

PROGRAMS = {
    "web": ["-c", "import poolsite.asgi"],
    "worker": ["-m", "celery", "-A", "poolsite", "worker", "-c", "1", "--without-mingle"],
    "beat": ["-m", "celery", "-A", "poolsite", "beat", "-s", os.devnull, "--pidfile="],
    "timers": ["manage.py", "timers"],
    "manage": ["manage.py", "migrate", "--check"],
}


@pytest.fixture
def env(monkeypatch: pytest.MonkeyPatch) -> SettingsReader:
    """The reader of the settings, with none of these variables set."""
    for name in ("A_SECRET", "REDIS_URL", "DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    return SettingsReader()


def test_a_file_is_the_variable_without_the_space_around_it(env, monkeypatch, tmp_path):
    assert env.str("A_SECRET", default="none") == "none"
    (tmp_path / "secret").write_text(" s3cret word \n")
    monkeypatch.setenv("A_SECRET_FILE", str(tmp_path / "secret"))
    assert env.str("A_SECRET", default="none") == "s3cret word"
    (tmp_path / "secret").write_text("postgres://u:p@host:5432/name\n")
    monkeypatch.setenv("DATABASE_URL_FILE", str(tmp_path / "secret"))
    assert env.db_url("DATABASE_URL", default="sqlite://")["NAME"] == "name"


def test_without_a_file_it_is_the_environment(env, monkeypatch):
    monkeypatch.setenv("A_SECRET", " as it is ")
    monkeypatch.setenv("A_SECRET_FILE", "")
    assert env.str("A_SECRET") == " as it is "
    assert dict(Variables()) == dict(os.environ)


@pytest.mark.parametrize(
    ("content", "reason"),
    [(None, "No such file or directory"), (b"\xff\xfe", "it is not text in UTF-8")],
)
def test_a_file_that_cannot_be_read_is_refused(env, monkeypatch, tmp_path, content, reason):
    path = tmp_path / "secret"
    if content is not None:
        path.write_bytes(content)
    monkeypatch.setenv("A_SECRET_FILE", str(path))
    with pytest.raises(ImproperlyConfigured) as refused:
        env.str("A_SECRET", default="none")
    assert str(refused.value) == (
        f"A_SECRET_FILE names {path}, which can't be read ({reason}): let it name a file that "
        "this user may read, or set A_SECRET instead"
    )


def test_a_variable_that_is_given_twice_is_refused(env, monkeypatch, tmp_path):
    monkeypatch.setenv("A_SECRET", "one")
    monkeypatch.setenv("A_SECRET_FILE", str(tmp_path))
    with pytest.raises(ImproperlyConfigured, match="both set: unset one of them"):
        env.str("A_SECRET")


def test_a_value_of_another_type_is_refused_by_its_name(env, monkeypatch):
    monkeypatch.setenv("A_NUMBER", "many")
    with pytest.raises(
        ImproperlyConfigured, match=r"A_NUMBER can't be read .*'many'.*: correct it"
    ):
        env.int("A_NUMBER", default=3)


def test_a_redis_that_a_file_names_is_no_reason_to_start_one(env, monkeypatch):
    assert not is_set("REDIS_URL")
    monkeypatch.setenv("REDIS_URL_FILE", "/run/secrets/redis_url")
    assert is_set("REDIS_URL")


@pytest.mark.processes
@pytest.mark.parametrize("program", PROGRAMS)
def test_each_program_says_in_one_line_which_file_is_missing(program, tmp_path: Path):
    missing = tmp_path / "secret_key"
    given = {name: value for name, value in os.environ.items() if name != "POOLSITE_SECRET_KEY"}
    done = subprocess.run(
        [sys.executable, *PROGRAMS[program]],
        cwd=ROOT,
        env={**given, "POOLSITE_SECRET_KEY_FILE": str(missing)},
        capture_output=True,
        text=True,
        timeout=patient(60),
        check=False,
    )
    assert done.returncode != 0
    (line,) = [line for line in done.stderr.splitlines() if line.strip()]
    assert f"POOLSITE_SECRET_KEY_FILE names {missing}, which can't be read" in line
