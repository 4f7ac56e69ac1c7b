"""The house rules, beside those of the board in `server/engine/`: turns, queues, deadlines, lateness, absence, votes.

They are pure functions from the situation of a game to what follows from a command. They read and write nothing.
"""
