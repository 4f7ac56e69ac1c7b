"""A running game: moves, its flow, its end, and reports on games."""
