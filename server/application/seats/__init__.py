"""Who sits where: opening, inviting, joining, starting, handing seats over."""
