"""Text that people type, cleaned so that it can be stored as one line."""

# They join letters and parts of emoji. Without them, such text would be damaged.
JOINERS = "\u200c\u200d"


def one_line(text: str) -> str:
    """Return the text without control characters. Spaces and line breaks become single spaces."""
    kept = "".join(c if c.isprintable() or c in JOINERS else " " for c in text)
    return " ".join(kept.split()).strip(JOINERS)
