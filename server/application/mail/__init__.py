"""The rows of mail: the inbox, the outbox for players and the operator, and mailboxes."""
