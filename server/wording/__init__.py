"""English for facts of a game, shared by mails and pages."""
