"""The clocks that forms offer, in a few words."""

# The same time for Mr. X's phase and for that of the detectives, by its length.
PER_PHASE = {
    "P1D": "A day for each phase", "P2D": "Two days for each phase", "P4D": "Four days for each phase",
    "P7D": "A week for each phase",
}  # fmt: skip
PER_MOVE = "Each detective in turn"
SCHEDULE = "Every evening"
BANK = "A supply of days"
NONE = "No deadlines"
