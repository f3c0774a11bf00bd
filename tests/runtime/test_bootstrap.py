"""`make setup` on machines that lack something: one clear sentence and exit status 1."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.source import ROOT

pytestmark = pytest.mark.processes

FIND = ROOT / "poolsite" / "runtime" / "find-python"


def find_python(folder: Path, **variables: str) -> "subprocess.CompletedProcess[str]":
    """Run find-python where only the programs in `folder` exist."""
    return subprocess.run(
        ["/bin/sh", str(FIND)],
        env={"PATH": str(folder), **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def pretend(folder: Path, name: str, script: str) -> Path:
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return program


def test_no_python_is_one_sentence_that_says_what_to_install(tmp_path):
    answer = find_python(tmp_path)
    assert answer.returncode == 1
    assert answer.stderr == (
        "Python 3.11 or newer was not found. Install it (Debian: apt-get install python3 "
        "python3-venv) or give its path (make PYTHON=/path/to/python3).\n"
    )


def test_a_python_that_is_too_old_is_passed_over(tmp_path):
    pretend(tmp_path, "python3", "exit 1")
    newer = pretend(tmp_path, "python3.12", f'exec "{sys.executable}" "$@"')
    assert find_python(tmp_path).stdout == f"{newer}\n"


def test_a_python_without_its_venv_module_is_one_sentence(tmp_path):
    pretend(
        tmp_path,
        "python3",
        f'case "$*" in *ensurepip*) exit 1;; esac\nexec "{sys.executable}" "$@"',
    )
    answer = find_python(tmp_path)
    assert answer.returncode == 1
    assert answer.stderr.startswith("python3 can't create virtual environments. Install its venv")
    assert answer.stderr.count("\n") == 1


def test_the_python_that_is_named_is_the_only_one_tried(tmp_path):
    pretend(tmp_path, "python3", f'exec "{sys.executable}" "$@"')
    answer = find_python(tmp_path, PYTHON="/nowhere/python3")
    assert answer.returncode == 1
    assert answer.stderr.startswith("Python 3.11 or newer was not found as /nowhere/python3.")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The part of a fresh checkout that the setup reads."""
    root = tmp_path / "a checkout"
    for name in ("requirements/base.txt", "poolsite/runtime/bootstrap.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    return root


def bootstrap(
    checkout: Path, before: str = "", **variables: str
) -> "subprocess.CompletedProcess[str]":
    script = str(checkout / "poolsite" / "runtime" / "bootstrap.py")
    program = f"""
import importlib.util, sys
spec = importlib.util.spec_from_file_location("bootstrap", {script!r})
bootstrap = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bootstrap)
sys.argv = ["bootstrap.py", "base"]
{before}
sys.exit(bootstrap.main())
"""
    return subprocess.run(
        [sys.executable, "-I", "-c", program],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_full_disk_is_one_sentence_and_nothing_is_begun(checkout):
    answer = bootstrap(checkout, before='bootstrap.NEEDED_BYTES["base"] = 2**60')
    assert answer.returncode == 1
    assert answer.stderr.startswith(f"The disk is full: {checkout} has ")
    assert answer.stderr.count("\n") == 1
    assert not (checkout / ".venv").exists()


def test_no_network_is_one_sentence_and_the_next_run_goes_on(checkout):
    answer = bootstrap(
        checkout,
        PIP_CONFIG_FILE=os.devnull,
        PIP_INDEX_URL="http://127.0.0.1:1/simple",
        PIP_NO_CACHE_DIR="1",
    )
    assert answer.returncode == 1
    assert answer.stderr == "Can't reach the package index. Check the network connection.\n"
    assert (checkout / ".venv" / "bin" / "python").exists()
    assert not (checkout / ".venv" / "installed-base").exists()


def test_a_package_that_is_not_the_locked_one_is_refused(checkout, tmp_path):
    wheel = tmp_path / "thing-1.0-py3-none-any.whl"
    wheel.write_bytes(b"not what the lock names")
    lock = f"thing @ file://{wheel} --hash=sha256:{'0' * 64}\n"
    (checkout / "requirements" / "base.txt").write_text(lock)
    answer = bootstrap(checkout)
    assert answer.returncode == 1
    assert answer.stderr.startswith("A package does not match the lock file")
    assert answer.stderr.count("\n") == 1
