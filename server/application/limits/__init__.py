"""Limits: how much somebody may do within a time, and one effect for a request that is sent twice."""
