"""The operator's pages: the health of the server, mail, deadlines, settings.

They are there for players with the capability `operator`, and missing for everybody else. They show what `doctor`,
`outbox list` and the other commands do, and of a game nothing that a spectator could not see.
"""
