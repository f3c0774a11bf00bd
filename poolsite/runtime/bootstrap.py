"""Make .venv from the lock file. `make setup` runs this with the machine's own Python.

It uses only the standard library and runs as a plain file, because nothing is installed yet. Any
problem is reported as one sentence on standard error with exit status 1.
"""

import contextlib
import fcntl
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
VENV = ROOT / ".venv"
NEEDED_BYTES = {"base": 500 * 2**20, "dev": 900 * 2**20}
UNREACHABLE = "Can't reach the package index. Check the network connection."
COMPLAINTS = {
    "No space left on device": "The disk is full. Free some space at {root} and run make again.",
    "NewConnectionError": UNREACHABLE,
    "ConnectTimeoutError": UNREACHABLE,
    "Temporary failure in name resolution": UNREACHABLE,
    "No matching distribution": "The package index has no file for this Python and machine: {line}",
    "DO NOT MATCH THE HASHES": "A package does not match the lock file: {line}",
}


class SetupError(Exception):
    """The environment cannot be made. The text is one clear sentence."""


def main() -> int:
    """Make or complete the environment for the set named on the command line."""
    name = sys.argv[1] if len(sys.argv) > 1 else "base"
    try:
        with _one_at_a_time():
            _setup(name)
    except SetupError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except OSError as error:
        sys.stderr.write(f"Cannot create {VENV}: {error.strerror or error}.\n")
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


@contextlib.contextmanager
def _one_at_a_time() -> Iterator[None]:
    with (ROOT / "requirements" / "base.txt").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _setup(name: str) -> None:
    began = time.monotonic()
    _require_space(NEEDED_BYTES[name])
    if not _usable():
        print("Creating .venv …", flush=True)
        shutil.rmtree(VENV, ignore_errors=True)
        _run([sys.executable, "-m", "venv", str(VENV)], "Cannot create a virtual environment")
    print(f"Installing {name} packages from the lock file (about half a minute) …", flush=True)
    _install(ROOT / "requirements" / f"{name}.txt")
    _write_path_file()
    (VENV / "root").write_text(f"{ROOT}\n")
    for done in ("base", "dev") if name == "dev" else ("base",):
        (VENV / f"installed-{done}").touch()
    print(f"Ready after {time.monotonic() - began:.0f} s.", flush=True)


def _usable() -> bool:
    """Whether .venv works here: it was made for this folder and its Python starts."""
    note = VENV / "root"
    if not note.exists() or note.read_text().strip() != str(ROOT):
        return False
    probe = [
        str(VENV / "bin" / "python"),
        "-c",
        "import pip, sys; sys.exit(sys.version_info < (3, 11))",
    ]
    try:
        return subprocess.run(probe, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def _install(lock: Path) -> None:
    # The lock file is complete, so nothing needs to be resolved. If pip resolved, it might prefer a
    # package that the index published today to the locked one, and then refuse it because it has no
    # hash.
    _run(
        [
            *(str(VENV / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-input"),
            *("--disable-pip-version-check", "--retries", "2", "--timeout", "20"),
            *("--require-hashes", "--no-deps", "--only-binary", ":all:", "-r", str(lock)),
        ],
        "Cannot install the packages",
    )


def _write_path_file() -> None:
    """Let every Python of this environment find this folder and the name `numbers`.

    The reason is explained in docs/decisions/0001-the-name-numbers.md.
    """
    question = "import sysconfig; print(sysconfig.get_path('purelib'))"
    answer = _run([str(VENV / "bin" / "python"), "-c", question], "Cannot use .venv")
    (Path(answer.strip()) / "poolsite.pth").write_text(f"{ROOT}\nimport poolsite\n")


def _run(command: list[str], failure: str) -> str:
    """Run a program and return its output. Raise SetupError with one sentence if it fails."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PIP_USER", "PYTHONPATH")}
    result = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if result.returncode == 0:
        return result.stdout
    text = f"{result.stdout}\n{result.stderr}"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = next((line for line in lines if line.startswith("ERROR")), lines[-1] if lines else "")
    for sign, sentence in COMPLAINTS.items():
        if sign in text:
            raise SetupError(sentence.format(root=ROOT, line=telling))
    raise SetupError(f"{failure}: {telling}")


def _require_space(needed_bytes: int) -> None:
    free_bytes = shutil.disk_usage(ROOT).free
    if free_bytes < needed_bytes and not (VENV / "root").exists():
        raise SetupError(
            f"The disk is full: {ROOT} has {free_bytes // 2**20} MB free, "
            f"{needed_bytes // 2**20} MB needed."
        )


if __name__ == "__main__":
    sys.exit(main())
