"""Answers as people write them, what must become of each, and figures of what does; see README.md."""
