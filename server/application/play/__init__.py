"""Acts of players in a running game: moves, votes, draws, talk, vacation, and seats that change hands."""
