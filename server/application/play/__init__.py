"""Acts of players in a running game: moves, draws, votes, talk, vacation, leaving a seat and taking one."""
