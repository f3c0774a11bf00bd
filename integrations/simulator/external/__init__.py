"""The external system behind a gate: it counts its own clients, and suffers when they are many."""
