"""People: players, their names, tokens and codes; and their accounts."""
