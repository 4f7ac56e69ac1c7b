"""A game before its start: opening, inviting, joining, starting, its host and its seats."""
