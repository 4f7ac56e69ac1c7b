"""A game under way and what of it may be seen: moves, projection, the seal, results."""
