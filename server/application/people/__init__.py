"""People: players, their names, addresses, tokens and codes, and how much mail they want."""
