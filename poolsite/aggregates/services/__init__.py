"""What is done to an aggregate's row whatever its kind: its life, and what mends it."""
