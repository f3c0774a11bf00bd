"""The pool's HTTP interfaces: the hot lane before Django, and the other routes behind it."""
