"""The gates' interfaces for machines."""
