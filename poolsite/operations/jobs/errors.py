"""What the API answers of jobs, in the words of the interface."""

from collections.abc import Mapping
from typing import Final

# type → (status, title, when it is answered).
PROBLEMS: Final[Mapping[str, tuple[int, str, str]]] = {
    "unknown-job": (
        *(404, "Job not found"),
        "The job doesn't exist, or the login has no access to it.",
    ),
}
# What an operation of the API answers of these.
OPERATIONS: Final[Mapping[str, str]] = {
    "GET jobs/{job}": "unknown-job",
    "POST jobs/{job}/cancel": "unknown-job",
}
