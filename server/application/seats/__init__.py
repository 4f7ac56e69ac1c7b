"""The seats of a game: opening, inviting, joining, starting, handing seats over."""
