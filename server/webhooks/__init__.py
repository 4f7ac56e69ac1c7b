"""Webhooks on their way out: signing, one connection to one checked address, and a row for each message."""
