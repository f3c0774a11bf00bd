"""How figures and dates are written, where it differs from what Django knows of a language."""
