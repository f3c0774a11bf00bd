"""What every kind of aggregate has in common; its app declares the rest."""
