"""The pools' live topics; importing this registers them."""

from numbers.topics import figures, story, tiles  # noqa: F401
