"""Clients made from the OpenAPI document by integrations/generated/README.md's own commands.

They have every operation, compile, and play a customer's integration on a running site.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.house.lock import pins
from tests.house.source import ROOT
from tests.integrations.generated.site import ExampleSite
from tests.integrations.generated.world import MESSAGES, PRICE, TOP_UP
from tests.support.parts import starts_processes
from tests.support.pdf_text import text_of
from tests.support.waiting import patient, until

pytestmark = [pytest.mark.prove, pytest.mark.processes, pytest.mark.needs("node", "npm", "curl")]
FOLDER = ROOT / "integrations" / "generated"
BLOCK = re.compile(r"^```sh ([\w-]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMANDS = dict(BLOCK.findall((FOLDER / "README.md").read_text()))
ACCOUNTS = {"python": "acme-py", "typescript": "acme-ts"}
UNTYPED = re.compile(r"-> Response\[.*\bAny\b.*\]:$", re.MULTILINE)
PARTS = ("pool", "line", "gate", "dispatcher", *("billing",) * 3, "webhooks")


@pytest.fixture(scope="module")
@starts_processes
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ExampleSite]:
    site = ExampleSite(tmp_path_factory.mktemp("site"))
    yield site
    site.stop()


class Workshop:
    """A folder for each language, made as the README describes, with the site's document."""

    def __init__(self, folder: Path, site: ExampleSite) -> None:
        self.folder, self.site = folder, site
        for name, verifier in (("python", "verify.py"), ("typescript", "verify.mjs")):
            shutil.copytree(FOLDER / name, folder / name)
            shutil.copy(ROOT / "integrations" / "webhooks" / verifier, folder / name)
        self.run("document", "python")
        text = (folder / "python" / "openapi.json").read_text()
        (folder / "typescript" / "openapi.json").write_text(text)
        self.document: dict[str, Any] = json.loads(text)
        (folder / "typescript" / "node_modules").symlink_to(_node_modules())
        self.said = {name: self.run(name, name) for name in ACCOUNTS}

    def environment(self, language: str) -> dict[str, str]:
        """Return the variables of the README's table.

        Programs of this virtual environment come first.
        """
        account = ACCOUNTS[language]
        return os.environ | {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": "",
            "POOLSITE_URL": self.site.url,
            "POOLSITE_ACCOUNT": account,
            "POOLSITE_OPERATOR_COOKIE": self.site.cookies["operator"],
            "POOLSITE_COOKIE": self.site.cookies[f"{account}-owner"],
            "POOLSITE_FILES": str(self.folder),
        }

    def run(self, block: str, language: str) -> str:
        """Run a block's lines except the last, the example itself. Return their output."""
        lines = COMMANDS[block].splitlines()
        kept = lines[:-1] if block in ACCOUNTS else lines
        done = subprocess.run(
            ["sh", "-ec", "\n".join(kept)],
            cwd=self.folder / language,
            env=self.environment(language),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=patient(180),
            check=False,
        )
        assert done.returncode == 0, f"{block}\n{done.stdout[-3000:]}"
        return done.stdout

    def example(self, language: str) -> "subprocess.Popen[bytes]":
        """Start the example by its line in the README."""
        words = COMMANDS[language].splitlines()[-1].split()
        with (self.folder / f"{language}.log").open("wb") as log:
            return subprocess.Popen(
                words,
                cwd=self.folder / language,
                env=self.environment(language),
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def log(self, language: str) -> str:
        return (self.folder / f"{language}.log").read_text()


def _node_modules() -> Path:
    """Return the packages of the lock, installed once for each lock."""
    lock = (FOLDER / "typescript" / "package-lock.json").read_bytes()
    kept = ROOT / "var" / "tests" / f"npm-{sha256(lock).hexdigest()[:20]}"
    if not kept.exists():
        made = kept.with_name(f"{kept.name}-{os.getpid()}")
        made.mkdir(parents=True)
        for name in ("package.json", "package-lock.json", ".npmrc"):
            shutil.copy(FOLDER / "typescript" / name, made)
        command = COMMANDS["install-typescript"].split()
        done = subprocess.run(
            command, cwd=made, capture_output=True, text=True, timeout=patient(300), check=False
        )
        assert done.returncode == 0, done.stderr[-3000:]
        made.rename(kept)
    return kept / "node_modules"


@pytest.fixture(scope="module")
@starts_processes
def workshop(site: ExampleSite, tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop(tmp_path_factory.mktemp("workshop"), site)


def _operations(workshop: Workshop) -> dict[str, Any]:
    methods = workshop.document["paths"].values()
    return {told["operationId"]: told for each in methods for told in each.values()}


def test_the_python_client_has_every_operation_with_its_types(workshop: Workshop) -> None:
    assert ("openapi-python-client", COMMANDS["install-python"].split("==")[1].strip()) in pins(
        "dev"
    )
    assert "arning" not in workshop.said["python"], workshop.said["python"]
    api = workshop.folder / "python" / "poolsite_api" / "api"
    made = {path.stem: path.read_text() for path in api.glob("*/*.py") if path.stem[0] != "_"}
    wanted = _operations(workshop)
    assert made.keys() == wanted.keys()
    assert [name for name, text in made.items() if re.search(r"body: .*\bAny\b", text)] == []
    untyped = {name for name, text in made.items() if re.search(UNTYPED, text)}
    assert untyped == {name for name, told in wanted.items() if "204" in told["responses"]}


def test_the_typescript_client_has_every_operation_with_its_types(workshop: Workshop) -> None:
    assert not re.search("warn|error|⚠|✖", workshop.said["typescript"], re.IGNORECASE)
    text = (workshop.folder / "typescript" / "api.d.ts").read_text()
    operations = text.partition("export interface operations {")[2]
    wanted = _operations(workshop)
    assert set(re.findall(r"^    (\w+): \{$", operations, re.MULTILINE)) == wanted.keys()
    assert '"application/json": unknown' not in operations


def test_the_python_example_fits_the_types(workshop: Workshop) -> None:
    folder = workshop.folder / "python"
    own = [path.name for path in (FOLDER / "python").glob("*.py")]
    options = ("--config-file=", "--follow-imports=silent", "--cache-dir=/dev/null")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, *own],
        cwd=folder,
        env=workshop.environment("python"),
        capture_output=True,
        text=True,
        timeout=patient(180),
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_both_play_an_integration_from_the_token_to_the_invoice(workshop: Workshop) -> None:
    running = {language: workshop.example(language) for language in ACCOUNTS}

    def have_ended() -> bool:
        workshop.site.work()
        return all(process.poll() is not None for process in running.values())

    try:
        until(have_ended, 150, lambda: "\n".join(map(workshop.log, ACCOUNTS)))
    finally:
        for process in running.values():
            process.kill()
            process.wait()
    for language, process in running.items():
        said = workshop.log(language)
        assert process.returncode == 0, said
        assert tuple(line.partition(":")[0] for line in said.splitlines()) == PARTS


@pytest.mark.parametrize("account", ACCOUNTS.values())
def test_the_files_that_they_saved_have_their_figures(workshop: Workshop, account: str) -> None:
    text = text_of((workshop.folder / f"{account}.pdf").read_bytes())
    charged = PRICE * MESSAGES
    for units in (TOP_UP, charged, TOP_UP - charged):
        assert f"{units / 10_000:.2f}" in text, text
    lines = (workshop.folder / f"{account}.csv").read_text(encoding="utf-8-sig").splitlines()
    assert [f"{account}-m0" in line for line in lines].count(True) == 3  # held, sent, settled
    invoice = text_of((workshop.folder / f"{account}-invoice.pdf").read_bytes())
    for words in (f"{charged / 10_000:.4f}", "Acme Ltd", "Poolsite Ltd", "VAT 6%"):
        assert words in invoice, invoice
