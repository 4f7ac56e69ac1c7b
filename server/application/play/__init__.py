"""Moves and draws of players, the operator's look, and lists, reports and pictures of games."""
