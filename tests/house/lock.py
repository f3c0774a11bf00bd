"""`make lock`: requirements/*.in → *.txt. The tool, uv, is itself in the development lock."""

import re
import subprocess
import sys
from pathlib import Path

from tests.house.source import ROOT

FLAGS = [
    *("--universal", "--python-version", "3.11", "--fork-strategy", "fewest"),
    *("--generate-hashes", "--no-header", "--no-annotate", "--no-emit-index-url", "--no-build"),
]


PIN = re.compile(r"^([a-z0-9][a-z0-9._-]*)==(\S+)", re.MULTILINE)


def pins(name: str) -> set[tuple[str, str]]:
    """Return the name and version of each package of a lock, `base` or `dev`."""
    return set(PIN.findall((ROOT / "requirements" / f"{name}.txt").read_text()))


def main() -> int:
    """Write both locks, the product's first: the development lock builds on it."""
    uv = str(Path(sys.executable).parent / "uv")
    for name in ("base", "dev"):
        command = [uv, "pip", "compile", "--quiet", *FLAGS, f"requirements/{name}.in"]
        command += ["--output-file", f"requirements/{name}.txt", *sys.argv[1:]]
        result = subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.DEVNULL)
        if result.returncode:
            return result.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
