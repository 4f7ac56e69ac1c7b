"""Players, their addresses and their tokens."""
