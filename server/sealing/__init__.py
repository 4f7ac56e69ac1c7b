"""The sealed log: hash commitments, and the chain over public events."""
