"""Who may open which websocket: one row for each route of the application.

A socket without a row fails `test_every_socket`. `open` = accepted and kept; a number = closed
with that code; `refused` = not accepted (HTTP 403). Readers are those of tests/access/answers.py.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.access.world import World


@dataclass(frozen=True)
class SocketRule:
    """One row of the table."""

    answers: Mapping[str, str]
    path: Callable[[World], str] | str = ""


RULES = {
    "ws/live/": SocketRule({"nobody": "4401", "*": "open"}, path="/ws/live/"),
}
