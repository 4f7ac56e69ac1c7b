"""Deadlines that fire, and what moves them: vacation, votes, outages."""
