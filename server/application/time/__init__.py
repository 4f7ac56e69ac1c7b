"""Deadlines, lateness, and whatever moves a deadline: vacation, votes, outages."""
