"""The admission gate: never more than so many at once on an external system."""
