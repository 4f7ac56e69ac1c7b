"""The page of a game and the forms on it."""
