"""News of games for their players: feeds, webhooks, talk, and how much mail comes."""
