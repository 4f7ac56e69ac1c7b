"""Deadlines that fire, and what moves them: outages, corrections of the clock."""
