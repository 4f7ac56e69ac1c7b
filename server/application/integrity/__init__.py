"""The integrity of what is stored: checks of games, their repair, keys, and a restored database."""
