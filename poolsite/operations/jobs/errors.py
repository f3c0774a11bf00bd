"""The API's problems about jobs."""

from collections.abc import Mapping
from typing import Final

# type → (status, title, when it is returned).
PROBLEMS: Final[Mapping[str, tuple[int, str, str]]] = {
    "unknown-job": (
        *(404, "Job not found"),
        "The job doesn't exist, or the login has no access to it.",
    ),
}
# The problems that each operation of the API returns.
OPERATIONS: Final[Mapping[str, str]] = {
    "GET jobs/{job}": "unknown-job",
    "POST jobs/{job}/cancel": "unknown-job",
}
