"""Text that people type, made fit to be kept on one line."""

# They join letters and parts of emoji; without them such text is damaged.
JOINERS = "\u200c\u200d"


def one_line(text: str) -> str:
    """The text without control characters; runs of spaces and line breaks become one space."""
    kept = "".join(c if c.isprintable() or c in JOINERS else " " for c in text)
    return " ".join(kept.split()).strip(JOINERS)
