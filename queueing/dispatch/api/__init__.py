"""The groups' interface for machines."""
