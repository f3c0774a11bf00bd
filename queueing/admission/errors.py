"""What a use case refuses, in the words of the interface."""

from collections.abc import Mapping

from poolsite.api.problems import RefusedError

PROBLEMS: Mapping[str, tuple[int, str]] = {
    "unknown-gate": (404, "Gate not found"),
    "unknown-device": (404, "Device not found"),
    "unknown-permit": (404, "Permit not found"),
    "unknown-batch": (404, "Batch not found"),
    "not-held": (409, "The permit is not held"),
    "bad-rows": (422, "Some rows of the file can't be used"),
    "gate-refused": (409, "The gate's state does not allow this"),
    "gate-recovering": (409, "The gate is recovering"),
}


class AdmissionError(RefusedError):
    """A use case of the gates that was refused; nothing was changed."""
