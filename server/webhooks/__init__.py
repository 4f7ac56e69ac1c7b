"""Webhooks: sending, signing, and one connection to one checked address for each message."""
