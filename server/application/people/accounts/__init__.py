"""The account of a player, from sign-up to deletion: it reaches into the games where the player sits."""
