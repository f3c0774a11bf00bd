"""Management commands of the product against a site under test."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.support import forking
from tests.support.waiting import patient

COMMAND_SECONDS = 120.0
Completed = subprocess.CompletedProcess[str]


def manage(
    arguments: list[str], environment: Mapping[str, str], release: Path = forking.ROOT
) -> Completed:
    """Run one command with a release's code. A command that takes too long has failed."""
    words = ["manage.py", *arguments]
    whole = {**os.environ, **environment, "PYTHONPATH": str(release)}
    try:
        return forking.run(words, whole, tree=release, timeout=patient(COMMAND_SECONDS))
    except subprocess.TimeoutExpired:
        return Completed(words, 1, "", f"no answer within {COMMAND_SECONDS:.0f} s")
