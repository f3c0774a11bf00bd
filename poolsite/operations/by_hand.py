"""Types of incidents that people resolve, because no check can detect that they are over."""

BY_HAND: set[str] = set()
