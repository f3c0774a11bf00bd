"""The pages about people: log-in, security, members, tokens, history."""
