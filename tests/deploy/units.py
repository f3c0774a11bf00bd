"""The units of deploy/systemd as systemd reads them, as far as tests need."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from tests.house.source import ROOT

FOLDER = ROOT / "deploy" / "systemd"
COMMON = FOLDER / "poolsite-.service.d" / "common.conf"
GUIDE = ROOT / "docs" / "operations" / "install.md"
HOME = "/opt/poolsite/current"
_ASSIGNMENT = re.compile(r"^#?([A-Z][A-Z0-9_]*)='(.*)'$", re.MULTILINE)
_BLOCK = re.compile(r"^```(sh|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Unit:
    """A service, with the instance of a template."""

    text: str
    instance: str = ""

    def value(self, name: str) -> str:
        """Return the last value of a directive. Drop-ins override the unit itself."""
        found = re.findall(rf"^{name}=(.*)$", f"{self.text}\n{COMMON.read_text()}", re.MULTILINE)
        assert found, f"no {name}"
        return found[-1]

    def command(self, prefix: str = "") -> list[str]:
        """Return ExecStart's words with the specifiers filled in, for an installation below
        `prefix`.
        """
        filled = {"%i": self.instance, "%S": f"{prefix}/var/lib", "%%": "%"}
        line = re.sub("%.", lambda found: filled[found[0]], self.value("ExecStart"))
        return shlex.split(line.replace(HOME, f"{prefix}{HOME}"))


def read(folder: Path, name: str) -> Unit:
    """Return the unit that systemd starts for `name`, such as poolsite-web@8101.service."""
    template = re.sub("@.*(?=[.])", "@", name)
    return Unit((folder / template).read_text(), name.rpartition(".")[0].partition("@")[2])


def settings(file: Path, *, commented: bool = False) -> dict[str, str]:
    """Return what an environment file sets; `commented`: also what it comments out."""
    found = {}
    for line in file.read_text().splitlines():
        if (match := _ASSIGNMENT.match(line)) and (commented or not line.startswith("#")):
            found[match[1]] = match[2]
    return found


def blocks(kind: str, guide: Path = GUIDE) -> list[str]:
    """Return a guide's commands: tests run `sh` blocks, `console` blocks need root or systemd."""
    return [text for fence, text in _BLOCK.findall(guide.read_text()) if fence == kind]
