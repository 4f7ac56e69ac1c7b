"""Opening a game from a form: edition, options, clock, seats, and who may see it."""
