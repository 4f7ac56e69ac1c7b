"""What keeps the server well: rates, keys, leases, health, figures."""
