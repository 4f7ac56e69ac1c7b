"""Long campaigns: `make campaign`. Each runs cases by the million, and goes on where it was when it is run again."""
