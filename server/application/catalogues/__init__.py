"""The catalogues, a row for each name: kinds of mails, public events and votes, and the preferences of players."""
