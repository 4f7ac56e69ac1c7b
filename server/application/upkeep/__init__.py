"""Upkeep of the server: health, alerts, metrics, Idempotency-Keys, and games that have to be repaired."""
