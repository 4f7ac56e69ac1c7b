"""The rows of mail: the inbox, the outbox and mailboxes, and how much mail a player gets."""
