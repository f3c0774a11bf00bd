"""Types of incidents that people resolve, because no check can see that they are over."""

BY_HAND: set[str] = set()
