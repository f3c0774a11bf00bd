"""Changes to an aggregate's row, whatever its kind, and recovery of its data in Redis."""
