"""The admission gate: limits how many clients use an external system at the same time."""
