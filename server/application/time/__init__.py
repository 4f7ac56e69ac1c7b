"""What happens at its time: deadlines, held moves, moves of bots, the end of neglected games, credit for outages."""
