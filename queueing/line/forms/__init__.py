"""What people type into the desks' pages."""
