"""Decisions about a running game: pure functions from its situation to what follows. They read and write nothing."""
