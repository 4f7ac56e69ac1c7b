"""Long test campaigns: `make campaign`. Each runs millions of cases, and continues where the last run stopped."""
