"""Players that are used for fitting and measuring only, each a function of a view, its legal moves and chance."""
