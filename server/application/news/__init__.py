"""What is told of a game and to whom: notices, feed, webhooks, talk."""
