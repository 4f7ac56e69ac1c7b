"""Deadlines and what moves them: goes, absences, votes, outages."""
