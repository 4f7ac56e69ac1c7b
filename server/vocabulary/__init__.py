"""The words that everything uses: errors, the kinds of mails, events, votes and preferences, durations, names."""
