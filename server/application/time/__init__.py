"""Deadlines, and what else has its time: held moves, moves of bots, neglected games, outages, wrong clocks."""
