"""The forms of the desks' pages."""
