"""What every kind of aggregate has in common. Each app declares what is specific to its kind."""
