"""Pictures of the board: for mails and pages, on paper, in a replay, and for the rules."""
