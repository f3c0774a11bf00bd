"""What a use case refuses, in the words of the interface."""

from collections.abc import Mapping

from poolsite.api.problems import RefusedError

PROBLEMS: Mapping[str, tuple[int, str]] = {
    "unknown-gate": (404, "There is no such gate"),
    "unknown-device": (404, "There is no such device"),
    "unknown-permit": (404, "There is no such permit"),
    "unknown-batch": (404, "There is no such batch"),
    "not-held": (409, "The permit is not held"),
    "bad-rows": (422, "Rows of the file cannot be taken"),
    "gate-refused": (409, "The gate's state does not allow this"),
    "gate-recovering": (409, "The gate is recovering"),
}


class AdmissionError(RefusedError):
    """A use case of the gates that was refused; nothing was changed."""
