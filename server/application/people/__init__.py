"""People: players, their accounts, names, tokens, codes and webhooks, and who may come in."""
