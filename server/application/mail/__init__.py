"""The rows of mail: what came in, what goes out, and what became of it."""
