"""How much more the server does in a database with many games than in one with few."""
