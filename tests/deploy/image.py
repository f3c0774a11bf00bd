"""The image of the Dockerfile, as far as a machine without a container engine can build it.

The build's steps are really executed, in a folder in place of the file system's root.
"""

import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tests.house.source import ROOT
from tests.support.processes import end
from tests.support.waiting import patient

HOME, DATA = "/opt/poolsite", "/var/lib/poolsite"
PLACES = (HOME, DATA, "/run/poolsite", "/run/secrets")
IGNORED = """
import json, sys
from docker.utils.build import exclude_paths
lines = [line.strip() for line in open(".dockerignore") if line.strip() and line[0] != "#"]
print(json.dumps(sorted(exclude_paths(".", lines))))
"""


@dataclass
class Stage:
    """A stage of the Dockerfile, with its instructions in order."""

    base: str
    name: str
    steps: list[tuple[str, str]] = field(default_factory=list)

    def all(self, instruction: str) -> list[str]:
        """Return the arguments of each of these instructions, each in one line."""
        return [rest for word, rest in self.steps if word == instruction]

    def command(self, instruction: str) -> list[str]:
        """Return the arguments of the last of these instructions, in exec form."""
        (last,) = self.all(instruction)[-1:]
        words: list[str] = json.loads(last[last.index("[") :])
        return words


def stages() -> dict[str, Stage]:
    """The stages of the Dockerfile by name."""
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    text = "\n".join(line for line in lines if not line.startswith("#")).replace("\\\n", " ")
    found: list[Stage] = []
    for line in text.splitlines():
        word, _, rest = " ".join(line.split()).partition(" ")
        if word == "FROM":
            found.append(Stage(*rest.split(" AS ")))
        elif word and found:
            found[-1].steps.append((word, rest))
    return {stage.name: stage for stage in found}


@cache
def context() -> tuple[str, ...]:
    """Return the files and folders that .dockerignore lets into a build, by Docker's library."""
    listed = subprocess.run(
        ["/usr/bin/python3", "-c", IGNORED], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return tuple(json.loads(listed.stdout))


@dataclass
class Image:
    """The image `poolsite` below `folder`, and processes that run in it as its user."""

    folder: Path = field(
        default_factory=lambda: Path(tempfile.mkdtemp(prefix="poolsite-image-", dir="/tmp"))
    )
    processes: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)

    @property
    def home(self) -> Path:
        return Path(f"{self.folder}{HOME}")

    def here(self, text: str) -> str:
        """Return a container's text with its folders as they are on this machine."""
        for place in PLACES:
            text = text.replace(place, f"{self.folder}{place}")
        return text

    def build(self) -> "Image":
        """Execute the steps of the stages `build`, with this machine's Python, and `poolsite`."""
        self.folder.chmod(0o755)
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "python").symlink_to("/usr/bin/python3")
        (self.folder / "tmp").mkdir()
        (self.folder / "tmp").chmod(0o1777)
        for word, rest in stages()["build"].steps:
            if word == "COPY":
                self._copy(*rest.split())
            elif word == "RUN":
                self._run(rest)
        built = Path(self.here(DATA)).rename(self.folder / "built")
        (folders,) = [one for one in stages()["poolsite"].all("RUN") if one.startswith("install ")]
        self._run(folders)
        for file in (built / "staticfiles").iterdir():
            file.rename(f"{self.here(DATA)}/staticfiles/{file.name}")
        return self

    def _copy(self, source: str, _target: str) -> None:
        for name in context():
            if source in (".", name) and (ROOT / name).is_file():
                (self.home / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, self.home / name)

    def _run(self, step: str) -> None:
        path = f"{self.folder}/bin:/usr/bin:/bin"
        done = subprocess.run(
            ["/bin/sh", "-c", self.here(step)],
            cwd=self.home,
            env={"PATH": path, **{n: v for n, v in os.environ.items() if n.startswith("PIP_")}},
            capture_output=True,
            text=True,
            timeout=patient(400),
            check=False,
        )
        assert done.returncode == 0, f"{step}\n{done.stdout}{done.stderr}"

    def environment(self, **given: str) -> dict[str, str]:
        """Return a process's variables: the last stage's ENV and `given`, as in a container."""
        said = " ".join(stages()["poolsite"].all("ENV")).split()
        named = {**dict(one.split("=", 1) for one in said), **given}
        return {
            **{name: self.here(value) for name, value in named.items()},
            "TMPDIR": f"{self.folder}/tmp",
        }

    def _as_user(self, words: list[str]) -> list[str]:
        """Return the command as the image's user, who has no capability and can get none."""
        user = stages()["poolsite"].all("USER")[-1].replace(":", " --regid ")
        options = (
            f"--reuid {user} --clear-groups --bounding-set -all --inh-caps -all --no-new-privs"
        )
        options += " --pdeathsig TERM"
        return ["setpriv", *options.split(), *words]

    def run(self, words: list[str], **given: str) -> "subprocess.CompletedProcess[str]":
        """Run a command, in a container's terms, to its end."""
        return subprocess.run(
            self._as_user([self.here(word) for word in words]),
            cwd=self.home,
            env=self.environment(**given),
            capture_output=True,
            text=True,
            timeout=patient(120),
            check=False,
        )

    def start(self, name: str, words: list[str], **given: str) -> None:
        """Start a container's command: the image's entry point with these arguments."""
        entry = stages()["poolsite"].command("ENTRYPOINT")
        with self.log(name).open("ab") as log:
            self.processes[name] = subprocess.Popen(
                self._as_user([self.here(word) for word in [*entry, *words]]),
                cwd=self.home,
                env=self.environment(**given),
                stdout=log,
                stderr=log,
            )

    def log(self, name: str) -> Path:
        """Return the log of a process."""
        return self.folder / f"{name}.log"

    def remove(self) -> None:
        """End what is running, and delete the folder."""
        end(*self.processes.values())
        shutil.rmtree(self.folder)
