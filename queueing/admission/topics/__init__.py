"""The gates' live topics. Importing this package registers them."""

from queueing.admission.topics import batches, figures, holders  # noqa: F401
