"""One game: reading it for a viewer, and loading and writing it for a decision."""
