"""The pages of a player: their games, settings, mail, addresses, vacation, programs, blocks and account."""
