"""The gates' live topics; importing this registers them."""

from queueing.admission.topics import batches, figures, holders  # noqa: F401
