"""The pools' live topics. Importing this module registers them."""

from numbers.topics import figures, story, tiles  # noqa: F401
