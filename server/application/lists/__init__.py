"""Lists of games and of their events, for pages, feeds and reports."""
