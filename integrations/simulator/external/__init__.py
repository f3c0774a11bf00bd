"""The external system behind a gate: it counts its own clients, and slows down with too many."""
