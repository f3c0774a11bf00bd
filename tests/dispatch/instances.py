"""Instances as separate processes (instance_process.py), for their tests."""

import json
from pathlib import Path

from tests.dispatch.stage import Stage
from tests.live.servers import WebServer
from tests.support import forking

PROGRAM = "tests/dispatch/instance_process.py"


class InstanceProcess:
    """An instance as a process, with its output."""

    def __init__(
        self, stage: Stage, group: str, webs: list[WebServer], name: str, version: str = "1"
    ) -> None:
        self.name = name
        settings = stage.settings(group, *webs)
        options = {
            "servers": list(settings.servers),
            "group": group,
            "token": settings.token,
            "name": name,
            "version": version,
        }
        self._output = Path(stage.site.folder / f"{group}-{name}-{version}.log")
        words = [PROGRAM, json.dumps(options)]
        self._process = forking.start(words, stage.site.environment, output=self._output)

    def lines(self, word: str) -> list[str]:
        return [
            line.removeprefix(f"{word} ")
            for line in self._output.read_text().splitlines()
            if line.startswith(f"{word} ")
        ]

    @property
    def pid(self) -> int:
        return self._process.pid

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
